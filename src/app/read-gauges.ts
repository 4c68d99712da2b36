import { ulidTime } from '../core/ulid-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { CircuitReading, HostReading, OutboxReading } from '../ports/metrics.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import { askStores } from './ask-stores.ts';
import type { Backlogs } from './backlogs.ts';
import type { CircuitBook } from './circuit-book.ts';
import type { InFlight } from './in-flight.ts';

export interface GaugeSources {
  readonly clock: Clock;
  readonly directory: TenantDirectory;
  readonly runner: EngineRunner;
  readonly inFlight: InFlight;
  readonly breakers: { readonly book: CircuitBook };
  readonly pauses: { readonly book: CircuitBook };
  readonly backlogs: Backlogs;
  readonly mqtt: { readonly connectionCount: number };
  readonly queue: Pick<Queue, 'connections'>;
}

/** Reads what is measured on demand. A tenant whose database is away is left out. */
export async function readGauges(sources: GaugeSources): Promise<HostReading> {
  const outbox = await askStores(sources, (store) => readOutbox(store, sources.clock));
  return {
    inFlight: sources.inFlight.size,
    lanes: sources.runner.status(),
    tenants: sources.runner.load(),
    outbox,
    circuits: readCircuits(sources),
    backlog: await sources.backlogs.read(),
    pools: sources.directory
      .open()
      .flatMap((store) => store.pools().map((pool) => ({ tenant: store.tenant, ...pool }))),
    mqttConnections: sources.mqtt.connectionCount,
    queueConnections: sources.queue.connections(),
  };
}

function readCircuits({ breakers, pauses }: GaugeSources): CircuitReading[] {
  const of = (kind: CircuitReading['kind'], book: CircuitBook) =>
    book.list().flatMap(({ phase, tenant, subject }) => (phase === 'closed' ? [] : [{ kind, tenant, subject }]));
  return [...of('binding', breakers.book), ...of('engine', pauses.book)];
}

async function readOutbox(store: TenantStore, clock: Clock): Promise<OutboxReading> {
  const { rows, failed, oldestRunId } = await store.outbox.pending();
  const since = oldestRunId === undefined ? undefined : ulidTime(oldestRunId);
  const lagSeconds = since === undefined ? 0 : Math.max(0, (clock.now() - since) / 1000);
  return { tenant: store.tenant, rows, failed, lagSeconds };
}
