import { isLimitCode } from '../core/limit-report.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { RunTree } from './run-tree.ts';

/** Tells the operator, once, which limit ended an engine's run. */
export function noteLimit(tree: RunTree, engineKey: string, outcome: RunOutcome): void {
  if (outcome.kind !== 'limit' && outcome.kind !== 'crashed') return;
  const { code, params } = outcome.error;
  if (!isLimitCode(code)) return;
  const { tenant } = tree.options.store;
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
