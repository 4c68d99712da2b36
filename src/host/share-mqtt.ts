import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { FrontDoor } from '../adapters/mqtt/front-door.ts';
import type { ListenerOptions } from '../adapters/mqtt/listener.ts';
import { type MqttBroker, startBroker } from '../adapters/mqtt/mqtt-broker.ts';
import { type RelayAddress, RelayClient } from '../adapters/mqtt/relay/relay-client.ts';
import { openRelayServer, type RelayServer } from '../adapters/mqtt/relay/relay-server.ts';
import { findBrokerHome, RedisBrokerStore } from '../adapters/redis/redis-broker-store.ts';
import { RedisLink } from '../adapters/redis/redis-link.ts';
import { MysqlAddress } from '../adapters/sql/address-mysql.ts';
import type { Config } from '../config/load-config.ts';
import { parseCacheUrl } from '../core/cache-url.ts';
import { coerceError, orThrow } from '../core/errors.ts';
import type { Releasers } from '../lifecycle.ts';
import type { BrokerListener } from '../ports/broker.ts';
import type { MqttPlace, StartMqtt } from './open-mqtt.ts';

const KEY_BYTES = 32;

/** What one host has of the broker that several share. */
export interface SharedMqtt {
  readonly listeners: readonly BrokerListener[];
  /** Runs the broker on this host, on the sessions that the last one left. @throws AppError CACHE_UNAVAILABLE, MQTT_LISTEN_FAILED. */
  start(): Promise<void>;
  /** Stops it; devices that come then are handed on to the host that has it next. */
  stop(): Promise<void>;
  /** True when no broker runs anywhere, as its host has said. */
  hasLeft(): Promise<boolean>;
}

/**
 * Opens this host's door for devices, and the way to the host that runs the broker.
 * @param onLost the broker of this host can store nothing any more.
 * @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID.
 */
export async function shareMqtt(
  config: Config,
  { place, start, releasers }: { readonly place: MqttPlace; readonly start: StartMqtt; readonly releasers: Releasers },
  listeners: readonly ListenerOptions[],
  onLost: () => void,
): Promise<SharedMqtt> {
  const { host, adapters, log } = place;
  const url = orThrow(parseCacheUrl(config.cacheUrl?.reveal() ?? ''));
  const installation = MysqlAddress.parse(config.databaseUrl?.reveal() ?? '').schemaMark;
  const link = new RedisLink({ url, purpose: 'mqtt', clock: adapters.clock, log: log.child('adapters.redis') });
  releasers.add('MQTT sessions', () => link.close());
  const relay = new RelayClient({
    find: async () => addressIn(await findBrokerHome(link, installation)),
    listeners: () => door.listeners,
  });
  releasers.add('MQTT relay', () => relay.close());
  const door = await FrontDoor.open(listeners, relay, (kind, error) =>
    log.error('mqtt.listener_failed', { kind, err: coerceError(error) }),
  );
  releasers.add('MQTT listeners', () => door.close());
  host.mqtt.elsewhere = relay;
  const own = new OwnBroker(config, { link, installation, door, place, onLost });
  return {
    listeners: door.listeners,
    start: async () => {
      await start((parts) => own.open(parts));
      relay.reset();
    },
    stop: async () => {
      door.taker = relay;
      await host.mqtt.stop();
      await own.close();
    },
    hasLeft: async () => (await findBrokerHome(link, installation)) === '',
  };
}

interface OwnBrokerParts {
  readonly link: RedisLink;
  readonly installation: string;
  readonly door: FrontDoor;
  readonly place: MqttPlace;
  onLost(): void;
}

/** The broker of this host with its sessions in Redis, and the way to it for the other hosts. */
class OwnBroker {
  readonly #config: Config;
  readonly #parts: OwnBrokerParts;
  #store: RedisBrokerStore | undefined;
  #server: RelayServer | undefined;

  constructor(config: Config, parts: OwnBrokerParts) {
    this.#config = config;
    this.#parts = parts;
  }

  async open(parts: Omit<Parameters<typeof startBroker>[0], 'store'>): Promise<MqttBroker> {
    const { link, installation, door, place, onLost } = this.#parts;
    const store = await RedisBrokerStore.open({ link, installation, log: place.log.child('adapters.redis'), onLost });
    const broker = await startBroker({ ...parts, store }, [], door);
    try {
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const { bind, shared } = this.#config.mqtt;
      this.#server = await openRelayServer({ bind, port: shared.port, key }, broker);
      const address: RelayAddress = { host: shared.host ?? reachableName(bind), port: this.#server.port, key };
      await store.announce(JSON.stringify(address));
    } catch (error) {
      await broker.stop();
      await this.#server?.close();
      this.#server = undefined;
      store.close();
      throw error;
    }
    this.#store = store;
    door.taker = broker;
    return broker;
  }

  /** After the broker has stopped: only now may another host begin at once. */
  async close(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
    // When Redis is away, or another broker has begun, there is nobody to tell.
    await this.#store?.announce('').catch(() => undefined);
    this.#store?.close();
    this.#store = undefined;
  }
}

function addressIn(text: string | undefined): RelayAddress | undefined {
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as RelayAddress);
}

function reachableName(bind: string): string {
  return bind === '0.0.0.0' || bind === '::' ? hostname() : bind;
}
