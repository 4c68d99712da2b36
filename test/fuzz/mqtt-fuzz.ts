import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { DEFAULT_BROKER_LIMITS } from '../../src/adapters/mqtt/broker-limits.ts';
import { type MqttBroker, startBroker } from '../../src/adapters/mqtt/mqtt-broker.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import type { Log } from '../../src/ports/log.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { FuzzRules } from './fuzz-rules.ts';
import { connects, packets } from './mqtt-corpus.ts';
import { Dice, mutate } from './mutate.ts';
import { Witness } from './witness.ts';

export interface FuzzOptions {
  readonly packets: number;
  /** The same seed tries the same packets. */
  readonly seed: number;
}

export interface FuzzResult {
  readonly packets: number;
  readonly connections: number;
  /** Errors that nothing of the broker dealt with, and tasks of it that failed. */
  readonly failures: readonly string[];
  /** Messages that reached the other tenant. */
  readonly foreign: readonly string[];
  /** Connections, and sessions of the attacked tenant, that are left when all clients are gone. */
  readonly leftConnections: number;
  readonly leftSessions: number;
  /** Growth of the heap between a tenth of the packets and the end. MiB. */
  readonly heapGrowthMiB: number;
  /** Longest wait of a client of the other tenant for its own message. Milliseconds. */
  readonly slowestMs: number;
}

const AT_ONCE = 24;
const VERSIONS = [3, 4, 5, 5] as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Throws mutated packets at a broker, as a client of one tenant, and watches what becomes of it and of another tenant. */
export async function fuzz({ packets: most, seed }: FuzzOptions): Promise<FuzzResult> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-fuzz-'));
  const store = EmbeddedBrokerStore.open(join(dir, 'host.db'));
  const failures: string[] = [];
  const stopWatching = watchProcess(failures);
  const limits = { ...DEFAULT_BROKER_LIMITS, sessionExpirySeconds: 1, retainedMessages: 500, packetBytes: 4_096 };
  const parts = { rules: new FuzzRules(), store, clock: systemClock('UTC'), log: failureLog(failures), limits };
  const broker = await startBroker(parts, []);
  const witness = await Witness.connect(broker);
  const attack = new Attack(broker, new Dice(seed));
  try {
    await attack.run(most / 10);
    const before = heapMiB();
    await attack.run(most);
    const left = await leftOf(broker);
    const heapGrowthMiB = heapMiB() - before;
    const { foreign, slowestMs } = await witness.end();
    return {
      packets: attack.sent,
      connections: attack.connections,
      failures,
      foreign,
      slowestMs,
      ...left,
      heapGrowthMiB,
    };
  } finally {
    await broker.stop();
    store.close();
    stopWatching();
    rmSync(dir, { recursive: true, force: true });
  }
}

class Attack {
  sent = 0;
  connections = 0;
  readonly #broker: MqttBroker;
  readonly #dice: Dice;
  readonly #corpora = VERSIONS.map((version) => ({ connects: connects(version), packets: packets(version) }));

  constructor(broker: MqttBroker, dice: Dice) {
    this.#broker = broker;
    this.#dice = dice;
  }

  /** @param most packets sent by then, of all runs. */
  async run(most: number): Promise<void> {
    const attackers = Array.from({ length: AT_ONCE }, async () => {
      while (this.sent < most) await this.#connection();
    });
    await Promise.all(attackers);
  }

  async #connection(): Promise<void> {
    const dice = this.#dice;
    const corpus = dice.pick(this.#corpora);
    const [server, client] = duplexPair();
    this.connections++;
    let closed = false;
    client
      .on('error', () => {})
      .on('close', () => {
        closed = true;
      });
    client.on('end', () => {
      closed = true;
    });
    client.resume();
    this.#broker.accept(server, '192.0.2.1');
    const hello = dice.pick(corpus.connects);
    this.#write(client, dice.roll(4) === 0 ? mutate(hello, dice, corpus.packets) : hello);
    for (let n = 0; n < 30 && !closed; n++) {
      const packet = dice.pick(corpus.packets);
      this.#write(client, dice.roll(3) === 0 ? packet : mutate(packet, dice, corpus.packets));
      await nextTurn();
    }
    if (dice.roll(2) === 0) client.end();
    else client.destroy();
  }

  /** In one piece or in two. */
  #write(client: Duplex, bytes: Buffer): void {
    this.sent++;
    if (client.destroyed || bytes.byteLength === 0) return;
    const at = this.#dice.roll(4) === 0 ? this.#dice.roll(bytes.byteLength) : 0;
    if (at > 0) client.write(bytes.subarray(0, at));
    client.write(bytes.subarray(at));
  }
}

/** What is left when everything has had its time. */
async function leftOf(broker: MqttBroker): Promise<Pick<FuzzResult, 'leftConnections' | 'leftSessions'>> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    // The witness is connected.
    const leftConnections = broker.connectionCount() - 1;
    const leftSessions = broker.sessions('ta').length;
    if ((leftConnections === 0 && leftSessions === 0) || performance.now() > deadline) {
      return { leftConnections, leftSessions };
    }
    await sleep(50);
  }
}

function heapMiB(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

function watchProcess(failures: string[]): () => void {
  const note = (error: unknown): void => {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return () => {
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
  };
}

/** Broken packets are told as warnings; an error is a fault of ours. */
function failureLog(failures: string[]): Log {
  return {
    ...SILENT_LOG,
    error: (event, fields) => failures.push(`${event} ${fields?.err?.stack ?? ''}`),
  };
}
