/** Runs looked back on, and how many of them must be known before an engine is judged. */
const WINDOW = 50;
const ENOUGH = 8;

/** Longest usual run of an engine whose messages share a transaction. Milliseconds. */
const QUICK_MS = 50;

/** What 95 % of its runs take at most: a batch of such runs ends before its neighbours' patience. Milliseconds. */
export const TAIL_MS = 250;

/** Messages of an engine that share a transaction at most (delivery.md 3.1 b) when a run of it failed of late. */
export const BATCH_MESSAGES = 8;

/** The same when none did: what a failure would undo grows with the batch. */
export const LARGE_BATCH_MESSAGES = 16;

/** Usual time of a batch at most, so that its locks and its author's messages do not wait. Milliseconds. */
const BATCH_MS = 200;

/** Share of failed runs up to which batches pay: of eight messages, one batch in three is then run again. */
const MAX_FAILED = 0.05;

/** Engines remembered; a forgotten one is judged anew. */
const MAX_ENGINES = 10_000;

/** What a run did, as far as it matters for sharing a transaction with others. */
export interface RunProfile {
  readonly durationMs: number;
  /** It called something outside the tenant's database and queue. */
  readonly wentOutside: boolean;
  /** It did not succeed: the others of its batch would have to run again. */
  readonly failed: boolean;
}

/**
 * Which engines are quick: their last runs stayed inside, succeeded and were short, so that one transaction may hold
 * several of their messages without holding its locks for long (delivery.md 3.1 b). Half of the runs decide, and 95 %
 * only against slow ones: on a busy host runs are delayed by turns, and without batches it would only get busier.
 */
export class EngineProfiles {
  readonly #known = new Map<string, KnownEngine>();

  record(engine: string, run: RunProfile): void {
    const known = this.#known.get(engine) ?? this.#meet(engine);
    known.runs.push(run);
    if (known.runs.length > WINDOW) known.runs.shift();
    known.batchSize = undefined;
  }

  /** Messages of the engine that may share a transaction: 1 unless it is quick. */
  batchSize(engine: string): number {
    const known = this.#known.get(engine);
    if (known === undefined) return 1;
    // Asked for every delivery that comes, and mostly answered as for the one before it.
    known.batchSize ??= batchSizeAfter(known.runs);
    return known.batchSize;
  }

  #meet(engine: string): KnownEngine {
    if (this.#known.size >= MAX_ENGINES) this.#known.clear();
    const known: KnownEngine = { runs: [], batchSize: undefined };
    this.#known.set(engine, known);
    return known;
  }
}

interface KnownEngine {
  readonly runs: RunProfile[];
  /** What the runs allow; undefined until it is asked for after the last one. */
  batchSize: number | undefined;
}

function batchSizeAfter(runs: readonly RunProfile[]): number {
  if (runs.length < ENOUGH) return 1;
  if (runs.some((run) => run.wentOutside)) return 1;
  const failed = runs.filter((run) => run.failed).length;
  if (failed > runs.length * MAX_FAILED) return 1;
  const durations = runs.map((run) => run.durationMs).sort((a, b) => a - b);
  const usualMs = shareOf(durations, 0.5);
  if (usualMs >= QUICK_MS || shareOf(durations, 0.95) >= TAIL_MS) return 1;
  const most = failed === 0 ? LARGE_BATCH_MESSAGES : BATCH_MESSAGES;
  return Math.min(most, Math.floor(BATCH_MS / Math.max(1, usualMs)));
}

/** What this share of the runs took at most. @param durations sorted. Milliseconds. */
function shareOf(durations: readonly number[], share: number): number {
  return durations[Math.ceil(durations.length * share) - 1] ?? 0;
}
