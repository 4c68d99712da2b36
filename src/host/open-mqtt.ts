import { join } from 'node:path';
import { EmbeddedBrokerStore } from '../adapters/embedded/broker-store.ts';
import { DEFAULT_BROKER_LIMITS } from '../adapters/mqtt/broker-limits.ts';
import { startBroker } from '../adapters/mqtt/mqtt-broker.ts';
import type { Adapters, Host, HostSettings } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import { sameTenant } from '../core/tenant.ts';
import type { Releasers } from '../lifecycle.ts';
import type { BrokerListener } from '../ports/broker.ts';
import type { Log } from '../ports/log.ts';
import { mqttListeners } from './mqtt-listeners.ts';
import { provideSecretFile } from './secret-file.ts';

/** Account and engine of the demo's devices. */
const DEMO_ACCOUNT = 'device';
const DEMO_ENGINE = 'device-telemetry';

export const MQTT_PASSWORD_FILE = 'mqtt.password';

/**
 * What the configuration says of the main tenant's MQTT. The demo has a broker with a password of its own making; an
 * account that somebody configured is used as it is.
 */
export function mainMqttOf(config: Config, dataDir: string, demo: boolean): HostSettings['mqtt'] {
  const { enabled, account, password, engine } = config.mqtt;
  const isDemo = demo && enabled !== false && account === undefined && password === undefined;
  return {
    tenant: config.tenant,
    enabled: enabled ?? (demo ? true : undefined),
    account: account ?? (isDemo ? DEMO_ACCOUNT : ''),
    password: password?.reveal() ?? (isDemo ? provideSecretFile(join(dataDir, MQTT_PASSWORD_FILE), undefined) : ''),
    engine: engine ?? (demo ? DEMO_ENGINE : ''),
  };
}

/**
 * Starts the broker when it is wanted.
 * @returns where it listens; undefined without a broker.
 * @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID, QUEUE_STORE_UNUSABLE.
 */
export async function openMqtt(
  config: Config,
  { host, adapters, dataDir }: { readonly host: Host; readonly adapters: Adapters; readonly dataDir: string },
  log: Log,
  releasers: Releasers,
): Promise<readonly BrokerListener[] | undefined> {
  if (!(await host.mqtt.isWanted())) return undefined;
  const rows = await adapters.directory.settings();
  const row = rows.find(({ tenant }) => sameTenant(tenant, config.tenant))?.row ?? {};
  const listeners = mqttListeners(config, row);
  const store = EmbeddedBrokerStore.open(join(dataDir, 'host.db'));
  releasers.add('MQTT store', () => store.close());
  // A start that fails later must not leave it behind; after a drain there is nothing left to stop.
  releasers.add('MQTT', () => host.mqtt.stop());
  const parts = { store, clock: adapters.clock, log: log.child('adapters.mqtt'), limits: DEFAULT_BROKER_LIMITS };
  const broker = await host.mqtt.start((rules) => startBroker({ ...parts, rules }, listeners));
  for (const { kind, bind, port } of broker.listeners) log.info('mqtt.listening', { kind, bind, port });
  return broker.listeners;
}
