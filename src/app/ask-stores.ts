import type { Clock } from '../ports/clock.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';

/** Tenants that are asked at once. */
const AT_ONCE = 8;

/** Files are read without a pause: after so many of them other work has its turn. */
const TURN = 4;

interface AskSources {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly directory: Pick<TenantDirectory, 'open'>;
}

/**
 * Asks every open tenant, some at once. @returns the answers in any order; a tenant whose database is away has none.
 */
export async function askStores<T>(
  { clock, directory }: AskSources,
  ask: (store: TenantStore) => Promise<T>,
): Promise<readonly T[]> {
  const stores = [...directory.open()];
  const answers: T[] = [];
  const takeNext = async (): Promise<void> => {
    for (let asked = 1; ; asked += 1) {
      const store = stores.shift();
      if (store === undefined) return;
      const answer = await ask(store).catch(() => undefined);
      if (answer !== undefined) answers.push(answer);
      if (asked % TURN === 0) await clock.sleep(0);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
  return answers;
}
