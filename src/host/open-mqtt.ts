import { join } from 'node:path';
import { EmbeddedBrokerStore } from '../adapters/embedded/broker-store.ts';
import type { BrokerParts } from '../adapters/mqtt/broker-core.ts';
import { DEFAULT_BROKER_LIMITS } from '../adapters/mqtt/broker-limits.ts';
import type { ListenerOptions } from '../adapters/mqtt/listener.ts';
import { startBroker } from '../adapters/mqtt/mqtt-broker.ts';
import { MysqlHostRole } from '../adapters/sql/host-role-mysql.ts';
import { MqttStandby } from '../app/mqtt-standby.ts';
import type { Adapters, Host, HostSettings } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import { sameTenant } from '../core/tenant.ts';
import type { Releasers } from '../lifecycle.ts';
import type { BrokerListener, LocalBroker } from '../ports/broker.ts';
import type { Log } from '../ports/log.ts';
import { mqttListeners } from './mqtt-listeners.ts';
import { provideSecretFile } from './secret-file.ts';
import { shareMqtt } from './share-mqtt.ts';

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

/** The broker of this host, as the start and the end of the host need it. */
export interface OpenedMqtt {
  /** Where it listens; empty without a broker. */
  readonly listeners: readonly BrokerListener[];
  /** Another host of this database runs the broker. */
  readonly isStandby: boolean;
  /** Before the host drains: from here on no broker is started. */
  end(): Promise<void>;
}

const NONE: OpenedMqtt = { listeners: [], isStandby: false, end: async () => undefined };

export interface MqttPlace {
  readonly host: Host;
  readonly adapters: Adapters;
  readonly dataDir: string;
  readonly log: Log;
}

/** Starts the host's MQTT engine with a broker that `open` makes of these parts, all but its store. */
export type StartMqtt = (open: (parts: Omit<BrokerParts, 'store'>) => Promise<LocalBroker>) => Promise<void>;

/**
 * Starts the broker when it is wanted and no other host of the database has one.
 * @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID, QUEUE_STORE_UNUSABLE, DB_UNAVAILABLE.
 */
export async function openMqtt(config: Config, place: MqttPlace, releasers: Releasers): Promise<OpenedMqtt> {
  const { host, adapters } = place;
  if (!(await host.mqtt.isWanted())) return NONE;
  const rows = await adapters.directory.settings();
  const main = rows.find(({ tenant }) => sameTenant(tenant, config.tenant));
  const listeners = mqttListeners(config, main?.row ?? {}, main?.unreadable);
  if (config.databaseUrl === undefined) {
    await openAlone(place, listeners, releasers).start();
    return { ...NONE, listeners: host.mqtt.listeners };
  }
  const role = new MysqlHostRole(config.databaseUrl.reveal(), 'mqtt');
  const onLost = (): void => standby.lost();
  const parts = { place, start: starter(place), releasers };
  const broker = config.mqtt.shared.enabled
    ? await shareMqtt(config, parts, listeners, onLost)
    : openAlone(place, listeners, releasers);
  const standby = new MqttStandby({
    ...adapters,
    role,
    log: place.log.child('app.mqtt'),
    start: () => broker.start(),
    stop: () => {
      host.mqtt.isStandby = true;
      return broker.stop();
    },
    hasLeft: () => broker.hasLeft(),
  });
  releasers.add('MQTT role', async () => {
    await standby.end();
    await broker.stop();
    await standby.release();
  });
  // Devices may come in at once, and are handed on when another host has the broker.
  host.mqtt.isStandby = true;
  const isStandby = !(await standby.begin());
  return { isStandby, listeners: host.mqtt.listeners, end: () => standby.end() };
}

function starter({ host, adapters, log }: MqttPlace): StartMqtt {
  const parts = { clock: adapters.clock, log: log.child('adapters.mqtt'), limits: DEFAULT_BROKER_LIMITS };
  return async (open) => {
    const broker = await host.mqtt.start((rules) => open({ ...parts, rules }));
    host.mqtt.isStandby = false;
    for (const { kind, bind, port } of broker.listeners) log.info('mqtt.listening', { kind, bind, port });
  };
}

/** A broker whose sessions are in this host's file. */
function openAlone(place: MqttPlace, listeners: readonly ListenerOptions[], releasers: Releasers) {
  const { host, dataDir } = place;
  const store = EmbeddedBrokerStore.open(join(dataDir, 'host.db'));
  releasers.add('MQTT store', () => store.close());
  // A start that fails later must not leave it behind; after a drain there is nothing left to stop.
  releasers.add('MQTT', () => host.mqtt.stop());
  return {
    start: () => starter(place)((parts) => startBroker({ ...parts, store }, listeners)),
    stop: () => host.mqtt.stop(),
    hasLeft: async () => false,
  };
}
