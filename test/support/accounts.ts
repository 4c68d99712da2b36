import type { DeadFilter } from '../../src/ports/dead-letters.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import type { TestHost } from './test-host.ts';

/** The open store of a tenant, as the use cases see it. */
export function storeOf(host: TestHost, tenant: string): TenantStore {
  const store = host.adapters.directory.get(tenant);
  if (store === undefined) throw new Error(`${tenant} is not open`);
  return store;
}

/** Attempts of an event without what people did to it, oldest first: `number verdict reason`. */
export async function attemptsOf(host: TestHost, eventId: string, store = host.store): Promise<string[]> {
  const { attempts } = await store.journal.story(eventId);
  const runs = attempts.filter(({ engineKey }) => engineKey !== '');
  return runs.map(({ attempt, verdict, reason }) => `${attempt} ${verdict} ${reason}`.trim());
}

/** Dead letters: `EventId attempt reason`, sorted. */
export async function deadOf(host: TestHost, store = host.store): Promise<string[]> {
  const rows = await store.parked.list({ state: 'dead', limit: 1_000 });
  return rows.map(({ eventId, attempt, reason }) => `${eventId} ${attempt} ${reason}`).sort();
}

/** What the scripts wrote to the console about an event, oldest first. */
export async function consoleOf(host: TestHost, eventId: string, store = host.store): Promise<string[]> {
  const { sysLog } = await store.journal.story(eventId);
  return sysLog.filter(({ type }) => type === 'console').map(({ content }) => content);
}

/** Replays the main tenant's dead letters. @returns how many wait again. */
export async function replayDead(host: TestHost, filter: DeadFilter): Promise<number> {
  return (await host.host.services.replayDeadLetters('demo', filter, 'en')).replayed.length;
}
