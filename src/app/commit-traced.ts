import { coerceError } from '../core/errors.ts';
import type { FinishedClaim, OutboxRow } from '../ports/tenant-store.ts';
import type { RunTree } from './run-tree.ts';
import type { TransactionScope } from './transaction-scope.ts';

/** Commits what a run did, as a part of its trace. @throws as `TransactionScope.commit`. */
export async function commitTraced(
  tree: RunTree,
  transaction: TransactionScope,
  claims: readonly FinishedClaim[],
): Promise<readonly OutboxRow[]> {
  // A call that opened no transaction has nothing to commit.
  const span = transaction.isOpen ? tree.startCommit() : undefined;
  try {
    const rows = await transaction.commit({ claims });
    span?.end();
    return rows;
  } catch (e) {
    span?.end(coerceError(e).code);
    throw e;
  }
}
