import type { Clock } from '../ports/clock.ts';
import type { BacklogReading } from '../ports/metrics.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import { askStores } from './ask-stores.ts';

/** Each look asks the queue server about every bound queue, and several may scrape one host. */
const FRESH_MS = 15_000;

interface BacklogSources {
  readonly clock: Clock;
  readonly queue: Pick<Queue, 'depth'>;
  readonly directory: TenantDirectory;
}

/** What waits for each tenant: dead letters, retries and the messages in its bound queues; read every 15 s at most. */
export class Backlogs {
  readonly #sources: BacklogSources;
  #readAt = Number.NEGATIVE_INFINITY;
  #last: Promise<readonly BacklogReading[]> = Promise.resolve([]);

  constructor(sources: BacklogSources) {
    this.#sources = sources;
  }

  /** Never rejects: a tenant whose database is away, or a queue that does not answer, is left out. */
  read(): Promise<readonly BacklogReading[]> {
    const now = this.#sources.clock.now();
    if (now - this.#readAt < FRESH_MS) return this.#last;
    this.#readAt = now;
    this.#last = this.#readAll();
    return this.#last;
  }

  #readAll(): Promise<readonly BacklogReading[]> {
    return askStores(this.#sources, (store) => this.#readOne(store));
  }

  async #readOne(store: TenantStore): Promise<BacklogReading> {
    const countOf = async (state: 'dead' | 'waiting') => (await store.deadLetters.list({ state, limit: 1 })).total;
    const { bindings } = await store.bindings.readAll();
    const queues: BacklogReading['queues'][number][] = [];
    for (const { logicalQueue, physicalQueue } of bindings) {
      const depth = await this.#sources.queue.depth(store.tenant, physicalQueue).catch(() => undefined);
      if (depth !== undefined) queues.push({ queue: logicalQueue, ...depth });
    }
    return { tenant: store.tenant, deadLetters: await countOf('dead'), waiting: await countOf('waiting'), queues };
  }
}
