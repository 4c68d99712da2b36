import { isLimitCode } from '../core/limit-report.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { RunTree } from './run-tree.ts';

/**
 * Takes in how an engine of a tree ended: its pauses learn of it, and the operator is told which limit ended it. An
 * end that takes the whole tree with it is the innermost engine's alone, which hears of it first.
 */
export function noteEnd(tree: RunTree, engineKey: string, outcome: RunOutcome): void {
  const { tenant } = tree.options.store;
  tree.services.metrics.engineEnded(tenant, engineKey, outcome.kind);
  if (outcome.kind !== 'limit' && outcome.kind !== 'crashed') {
    tree.services.pauses.record(tenant, engineKey, outcome);
    return;
  }
  if (!tree.isNewEnd(outcome.error)) return;
  tree.services.pauses.record(tenant, engineKey, outcome);
  const { code, params } = outcome.error;
  if (!isLimitCode(code)) return;
  tree.services.metrics.limitHit(tenant, code);
  tree.services.log.warn('run.limit_hit', {
    tenantId: tenant,
    engineKey,
    runId: tree.runId,
    eventId: tree.eventId,
    code,
    ...(params.limit === undefined ? {} : { limit: params.limit }),
  });
}
