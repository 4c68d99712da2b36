import assert from 'node:assert/strict';
import type { HostProcess } from '../support/host-process.ts';
import type { SeededRandom } from '../support/random.ts';
import type { Order } from './plan.ts';

/** Eight senders at once, each repeating until its message is accepted, as a careful producer does. */
export async function sendAll(hosts: readonly HostProcess[], orders: readonly Order[]): Promise<void> {
  const rest = [...orders];
  let turn = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let order = rest.pop(); order !== undefined; order = rest.pop()) {
        turn += 1;
        await sendUntilAccepted(hosts[turn % hosts.length] as HostProcess, order);
      }
    }),
  );
}

/** One sender for each chain, which sends a message when the one before it was accepted. */
export async function sendChains(hosts: readonly HostProcess[], chains: readonly (readonly Order[])[]): Promise<void> {
  await Promise.all(
    chains.map(async (chain, at) => {
      for (const [i, order] of chain.entries()) {
        for (let copy = 0; copy < order.copies; copy++) {
          await sendUntilAccepted(hosts[(at + i + copy) % hosts.length] as HostProcess, order);
        }
      }
    }),
  );
}

async function sendUntilAccepted(host: HostProcess, order: Order): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const body = { EventId: order.eventId, Message: order.message };
    const answer = await host.apiPatiently('POST', `tenants/demo/queues/${order.queue}/messages`, body);
    if (answer.body.Code === 1) return;
    // The queue may be away: the same EventId again.
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.ok(Date.now() < deadline, JSON.stringify(answer.body));
    await pause(200);
  }
}

/** A named way to hurt the system. */
export interface Blow {
  readonly name: string;
  readonly times: number;
  strike(): Promise<void>;
}

/** Strikes all blows in a random order, with random pauses. @returns what was struck, in order. */
export async function strikeAll(
  blows: readonly Blow[],
  random: SeededRandom,
  longestPauseMs: number,
): Promise<string[]> {
  const plan = random.shuffle(blows.flatMap((blow) => Array<Blow>(blow.times).fill(blow)));
  const struck: string[] = [];
  for (const blow of plan) {
    await pause(random.between(50, longestPauseMs));
    await blow.strike();
    struck.push(blow.name);
  }
  return struck;
}

/** SIGKILL and start again. */
export function killHost(host: HostProcess, times: number): Blow {
  return {
    name: 'host',
    times,
    async strike() {
      await host.kill();
      await host.start();
    },
  };
}

/** SIGKILL of one sandbox process of the host. */
export function killLane(host: HostProcess, times: number, random: SeededRandom): Blow {
  return {
    name: 'lane',
    times,
    async strike() {
      const lanes = host.isRunning ? host.lanes() : [];
      if (lanes.length > 0) killProcess(random.pick(lanes));
    },
  };
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself between the look and the shot.
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
