import { ulidTime } from '../core/ulid-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { CircuitReading, GaugeReading, OutboxReading } from '../ports/metrics.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import type { CircuitBook } from './circuit-book.ts';
import type { InFlight } from './in-flight.ts';

export interface GaugeSources {
  readonly clock: Clock;
  readonly directory: TenantDirectory;
  readonly runner: EngineRunner;
  readonly inFlight: InFlight;
  readonly breakers: CircuitBook;
  readonly pauses: CircuitBook;
}

/** Reads what is measured on demand. A tenant whose database is away is left out. */
export async function readGauges(sources: GaugeSources): Promise<GaugeReading> {
  const outbox: OutboxReading[] = [];
  for (const store of sources.directory.open()) {
    const reading = await readOutbox(store, sources.clock).catch(() => undefined);
    if (reading !== undefined) outbox.push(reading);
  }
  const tenants = sources.runner.load();
  const circuits = readCircuits(sources);
  return { inFlight: sources.inFlight.size, lanes: sources.runner.status(), tenants, outbox, circuits };
}

function readCircuits({ breakers, pauses }: GaugeSources): CircuitReading[] {
  const of = (kind: CircuitReading['kind'], book: CircuitBook) =>
    book.list().flatMap(({ phase, tenant, subject }) => (phase === 'closed' ? [] : [{ kind, tenant, subject }]));
  return [...of('binding', breakers), ...of('engine', pauses)];
}

async function readOutbox(store: TenantStore, clock: Clock): Promise<OutboxReading> {
  const { rows, failed, oldestRunId } = await store.outbox.pending();
  const since = oldestRunId === undefined ? undefined : ulidTime(oldestRunId);
  const lagSeconds = since === undefined ? 0 : Math.max(0, (clock.now() - since) / 1000);
  return { tenant: store.tenant, rows, failed, lagSeconds };
}
