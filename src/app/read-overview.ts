import { coerceError, describeError, type Lang } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunCount } from '../ports/journal.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** How a tenant's messages are doing at this moment. Times are milliseconds UTC. */
export interface TenantOverview {
  /** The hour before `at`; minutes without runs have no row. */
  readonly at: number;
  readonly minutes: readonly RunCount[];
  readonly deadLetters: number;
  /** Messages that wait for another attempt. */
  readonly waiting: number;
  /** Messages that committed runs sent and that are not in their queues yet; `failed` ones need people. */
  readonly outbox: { readonly rows: number; readonly failed: number };
  readonly queues: readonly QueueBacklog[];
  /** Bindings that cannot be served. */
  readonly refusedBindings: number;
}

/** A bound queue. `ready` is null when the queue cannot be asked; `reason` then says why. */
export interface QueueBacklog {
  readonly queue: string;
  readonly engineKey: string;
  readonly ready: number | null;
  readonly unsettled: number | null;
  readonly reason: string;
}

export interface OverviewSources {
  readonly clock: Clock;
  readonly queue: Pick<Queue, 'depth'>;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Reads it. @throws what the store throws; a queue that does not answer is told in its row. */
export async function readOverview(
  { clock, queue }: OverviewSources,
  store: TenantStore,
  lang: Lang,
): Promise<TenantOverview> {
  const at = clock.now();
  const countOf = async (state: 'dead' | 'waiting') => (await store.deadLetters.list({ state, limit: 1 })).total;
  const [minutes, deadLetters, waiting, outbox, { bindings, refusals }] = await Promise.all([
    store.journal.runCounts(at - HOUR_MS, MINUTE_MS),
    countOf('dead'),
    countOf('waiting'),
    store.outbox.pending(),
    store.bindings.readAll(),
  ]);
  const backlogOf = async (physicalQueue: string) =>
    queue.depth(store.tenant, physicalQueue).then(
      (depth) => ({ ...depth, reason: '' }),
      (thrown: unknown) => ({ ready: null, unsettled: null, reason: reasonOf(thrown, lang) }),
    );
  const queues = bindings.map(async ({ logicalQueue, physicalQueue, engineKey }) => ({
    queue: logicalQueue,
    engineKey,
    ...(await backlogOf(physicalQueue)),
  }));
  return {
    at,
    minutes,
    deadLetters,
    waiting,
    outbox: { rows: outbox.rows, failed: outbox.failed },
    queues: await Promise.all(queues),
    refusedBindings: refusals.length,
  };
}

function reasonOf(thrown: unknown, lang: Lang): string {
  return describeError(coerceError(thrown).toRecord(), lang);
}
