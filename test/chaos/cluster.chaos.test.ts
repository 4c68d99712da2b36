/**
 * The promise under fire on the real engines: hosts as competing consumers over RabbitMQ, MariaDB and Redis, all of
 * them killed and restarted at random moments, a host frozen and resumed, connections cut and slowed, the password of
 * the queue changed; scripts that ignore every failure, scripts with opposite lock order and one that needs its order
 * among them; classic and quorum queues. Repeat a run with CHAOS_SEED=<printed seed>.
 */
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { runCluster } from './cluster-run.ts';

const BLOWS = { host: 2, lane: 3, service: 2, cut: 6, freeze: 1, slow: 1, rotate: 1 };

for (const { queueType, orders, ordered, hosts } of [
  { queueType: 'classic', orders: 1_300, ordered: 300, hosts: 3 },
  { queueType: 'quorum', orders: 320, ordered: 80, hosts: 2 },
] as const) {
  const count = orders + ordered;
  test(`${count} orders over ${hosts} hosts, ${queueType} queues: one effect each, poison dead once`, {
    timeout: 600_000,
  }, async (t) => {
    await runCluster(
      {
        dir: tempDir(t),
        ...{ queueType, orders, ordered, hosts },
        chains: 10,
        poison: 6,
        blows: BLOWS,
        longestPauseMs: 3_000,
        settleMs: 240_000,
      },
      (line) => t.diagnostic(line),
    );
  });
}
