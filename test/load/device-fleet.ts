import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Factory } from './factory.ts';

const GIVE_UP_MS = 120_000;

/** The devices of all plants: mqtt.js over MQTT 5, each with a session that lasts, as careful firmware has it. */
export class DeviceFleet {
  readonly #devices: readonly (readonly MqttClient[])[];

  private constructor(devices: readonly (readonly MqttClient[])[]) {
    this.#devices = devices;
  }

  static async connect({ mqttUrl, plants }: Factory, perTenant: number): Promise<DeviceFleet> {
    const devices: MqttClient[][] = [];
    for (const { mqttUser, mqttPassword } of plants) {
      const login = { protocolVersion: 5, username: mqttUser, password: mqttPassword, clean: false } as const;
      const life = { reconnectPeriod: 300, properties: { sessionExpiryInterval: 3_600 } } as const;
      const clients: MqttClient[] = [];
      for (let n = 0; n < perTenant; n++) {
        clients.push(await connectAsync(mqttUrl, { ...login, ...life, clientId: `machine-${n}` }));
      }
      devices.push(clients);
    }
    // A connection that breaks is what the storms are for; mqtt.js connects again by itself.
    for (const client of devices.flat()) client.on('error', () => {});
    return new DeviceFleet(devices);
  }

  /**
   * Publishes with QoS 1 until it is acknowledged as a success, always with the same EventId.
   * @throws Error when it was not within two minutes.
   */
  async publish(tenant: number, device: number, topic: string, id: string, value: number): Promise<void> {
    const client = this.#devices[tenant]?.[device];
    if (client === undefined) throw new Error(`no device ${device} of tenant ${tenant}`);
    const payload = JSON.stringify({ id, value });
    const options = { qos: 1, properties: { userProperties: { EventId: id } } } as const;
    for (const deadline = Date.now() + GIVE_UP_MS; ; await sleep(500)) {
      try {
        await client.publishAsync(topic, payload, options);
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  /** Every connection breaks at the same moment. */
  storm(): void {
    for (const client of this.#devices.flat()) client.stream.destroy();
  }

  async end(): Promise<void> {
    await Promise.all(this.#devices.flat().map((client) => client.endAsync(true)));
  }
}
