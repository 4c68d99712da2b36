import type { TableStore } from '../ports/table-store.ts';

/** What `work` wrote, waiting for the word whether it stays. */
export interface OpenGroup<T> {
  readonly value: T;
  /** @throws AppError DB_*: the transaction is lost. */
  end(keep: boolean): Promise<void>;
}

const UNDONE = new Error('what a script said afterwards undoes the group');

/**
 * Statements that are undone together when it is decided so later, after a script ran in the same transaction. Groups
 * nest, and end in the reverse order.
 */
export function openGroup<T>(store: TableStore, work: (tables: TableStore) => Promise<T>): Promise<OpenGroup<T>> {
  return new Promise((resolve, reject) => {
    const decision = Promise.withResolvers<boolean>();
    const done = store.allOrNothing(async (tables) => {
      const value = await work(tables);
      resolve({ value, end });
      if (!(await decision.promise)) throw UNDONE;
    });
    const end = async (keep: boolean): Promise<void> => {
      decision.resolve(keep);
      await done.catch((e) => {
        if (e !== UNDONE) throw e;
      });
    };
    done.catch(reject);
  });
}
