import assert from 'node:assert/strict';
import { chaosSeed, SeededRandom } from '../support/random.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { type BlowCounts, blowsOn } from './cluster-blows.ts';
import { checkEffects, isSettled, type Progress, readProgress } from './effects.ts';
import { pause, sendAll, sendChains, strikeAll } from './load.ts';
import { copiesOf, type Order, planChains, planOrders, planPoison } from './plan.ts';

/** What is done to a cluster. */
export interface ClusterRun extends ClusterOptions {
  readonly orders: number;
  /** Orders beside them that must have their effects in the order of their chain. */
  readonly ordered: number;
  readonly chains: number;
  readonly poison: number;
  readonly blows: BlowCounts;
  readonly longestPauseMs: number;
  /** Longest wait for the last message when all were sent and the last blow fell. Milliseconds. */
  readonly settleMs: number;
}

/** What happened. */
export interface ClusterReport {
  readonly seed: number;
  readonly orders: number;
  readonly messages: number;
  readonly poison: number;
  readonly struck: readonly string[];
  readonly sentMs: number;
  readonly settledMs: number;
  readonly progress: Progress;
}

/**
 * Sends everything while the blows fall, waits until nothing is under way, and looks at the effects.
 * @param say told the seed at once and what was struck.
 * @throws AssertionError when an effect is lost, doubled or out of order, or an innocent dead.
 */
export async function runCluster(run: ClusterRun, say: (line: string) => void): Promise<ClusterReport> {
  const seed = chaosSeed();
  say(`chaos seed ${seed}`);
  const random = new SeededRandom(seed);
  const cluster = await startCluster(run, random);
  try {
    const orders = planOrders(run.orders, random);
    const chains = run.ordered === 0 ? [] : planChains(run.ordered, run.chains, random);
    const poison = planPoison(run.poison);
    const expected = [...orders, ...chains.flat()];
    const messages = random.shuffle([...orders, ...poison].flatMap(copiesOf));
    const begun = performance.now();
    const struck = strikeAll(blowsOn(cluster, run.blows, random), random, run.longestPauseMs);
    await Promise.all([sendAll(cluster.hosts, messages), sendChains(cluster.hosts, chains)]);
    const sentMs = performance.now() - begun;
    say(`struck: ${(await struck).join(' ')}`);
    const progress = await untilSettled(cluster, { orders: expected, poison, settleMs: run.settleMs });
    const settledMs = performance.now() - begun;
    for (const host of cluster.hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
    await checkEffects(cluster.reader, expected, poison);
    const counts = { orders: expected.length, messages: messages.length + chains.flat().flatMap(copiesOf).length };
    return { seed, ...counts, poison: poison.length, struck: await struck, sentMs, settledMs, progress };
  } finally {
    await cluster.end();
  }
}

async function untilSettled(
  { hosts, reader }: Cluster,
  plan: { readonly orders: readonly Order[]; readonly poison: readonly Order[]; readonly settleMs: number },
): Promise<Progress> {
  const deadline = Date.now() + plan.settleMs;
  for (;;) {
    const progress = await readProgress(reader);
    if (isSettled(progress, plan.orders, plan.poison)) return progress;
    if (Date.now() > deadline) {
      const outputs = hosts.map((host) => host.output.slice(-4_000)).join('\n---\n');
      assert.fail(`not settled: ${JSON.stringify(progress)}\n${outputs}`);
    }
    await pause(500);
  }
}
