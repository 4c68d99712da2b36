import type { TestContext } from 'node:test';
import { FrontDoor } from '../../src/adapters/mqtt/front-door.ts';
import { type RelayAddress, RelayClient } from '../../src/adapters/mqtt/relay/relay-client.ts';
import { openRelayServer } from '../../src/adapters/mqtt/relay/relay-server.ts';
import { OpenRules, TestBroker } from './mqtt-broker.ts';
import { TcpProxy } from './services/tcp-proxy.ts';

/** As the hosts have it from their store. */
const RELAY_KEY = 'k'.repeat(43);

export interface RelayedOptions {
  readonly rules?: OpenRules;
  /** Where the broker is found; where it is without it. */
  readonly find?: (address: RelayAddress) => RelayAddress | undefined;
}

export interface Relayed {
  readonly broker: TestBroker;
  readonly rules: OpenRules;
  readonly relay: RelayClient;
  /** Of the host without a broker. */
  readonly port: number;
  readonly address: RelayAddress;
  /** Between the two hosts. */
  readonly proxy: TcpProxy;
  /** Ends the way to the broker at the broker's host. */
  close(): Promise<void>;
}

/** A broker, and the door of a host that hands its devices on. */
export async function relayed(t: TestContext, options: RelayedOptions = {}): Promise<Relayed> {
  const rules = options.rules ?? new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  const server = await openRelayServer({ bind: '127.0.0.1', port: 0, key: RELAY_KEY }, broker.broker);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.close();
    return closing;
  };
  t.after(close);
  const proxy = await TcpProxy.open(`http://127.0.0.1:${server.port}`);
  t.after(() => proxy.refuse());
  const address = { host: '127.0.0.1', port: proxy.port, key: RELAY_KEY };
  const find = options.find ?? (() => address);
  const relay = new RelayClient({ find: async () => find(address), listeners: () => [] });
  t.after(() => relay.close());
  const listener = { kind: 'mqtt', bind: '127.0.0.1', port: 0, setting: 'mqtt.port', portsTried: 0 } as const;
  const door = await FrontDoor.open([{ ...listener, maxMessageBytes: 1e6 }], relay, () => {});
  t.after(() => door.close());
  return { broker, rules, relay, port: door.listeners[0]?.port ?? 0, address, proxy, close };
}
