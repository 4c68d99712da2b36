import type { EngineSource } from '../core/engine.ts';
import { describeError, type ErrorRecord } from '../core/errors.ts';
import type { RunTree } from './run-tree.ts';

/** Longest message of an attempt row. */
const MAX_MESSAGE = 1_000;

/** Writes the attempt row of a run that no queue delivered. @param event whose EventId it has, if any. */
export function journalRun(
  tree: RunTree,
  engine: EngineSource,
  error: ErrorRecord | undefined,
  event: { readonly queue: string; readonly eventId: string } = { queue: '', eventId: '' },
): void {
  tree.options.store.journal.attempt({
    runId: tree.runId,
    queue: event.queue,
    eventId: event.eventId,
    attempt: 1,
    engineKey: engine.key,
    version: engine.version,
    startedAt: tree.startedAt,
    endedAt: tree.services.clock.now(),
    verdict: error === undefined ? 'done' : 'failed',
    reason: error?.code ?? '',
    message: error === undefined ? '' : describeError(error, tree.options.lang).slice(0, MAX_MESSAGE),
    hostCalls: tree.traces,
  });
}
