import { editDeadLetter, findDeadLetter, purgeDeadLetters, replayDeadLetters } from '../app/dead-letters.ts';
import { tryMessage } from '../app/try-message.ts';
import type { DeadFilter } from '../ports/dead-letters.ts';
import type { HostServicesParts } from './host-services.ts';
import { noteChange } from './note-change.ts';
import type { AdminServices, ChangeFilter } from './services.ts';
import { storeOf, withPhysicalQueue } from './tenant-store-of.ts';

type DeadLetterMethods = Pick<
  AdminServices,
  | 'deadLetters'
  | 'deadLetterGroups'
  | 'deadLetter'
  | 'replayDeadLetters'
  | 'editDeadLetter'
  | 'purgeDeadLetters'
  | 'tryMessage'
>;

/** What people do with dead letters, over the tenant's own store. */
export function deadLetterServices(parts: HostServicesParts): DeadLetterMethods {
  const { directory, log } = parts;
  const rowsOf = (tenant: string, { olderThanMs, ...filter }: ChangeFilter): DeadFilter => ({
    ...withPhysicalQueue(tenant, filter),
    ...(olderThanMs === undefined ? {} : { before: parts.deadLetters.clock.now() - olderThanMs }),
  });
  return {
    deadLetters: async (tenant, filter) =>
      storeOf(directory, tenant).deadLetters.list(withPhysicalQueue(tenant, filter)),
    deadLetterGroups: async (tenant, filter) =>
      storeOf(directory, tenant).deadLetters.groups(withPhysicalQueue(tenant, filter)),
    deadLetter: async (tenant, choice) => findDeadLetter(storeOf(directory, tenant), withPhysicalQueue(tenant, choice)),
    replayDeadLetters: async (tenant, filter, lang, origin, note) => {
      const store = storeOf(directory, tenant);
      const outcome = await replayDeadLetters(parts.deadLetters, store, rowsOf(tenant, filter), lang, note);
      const rows = outcome.replayed.length;
      log.info('parked.replayed', { tenantId: tenant, rows, refused: outcome.refused.length });
      const after = { filter: { ...filter }, replayed: rows, refused: outcome.refused.length };
      await noteChange(store, origin, { action: 'dead-letter.replayed', target: targetOf(filter), after });
      return outcome;
    },
    editDeadLetter: async (tenant, choice, change, lang, origin) => {
      const store = storeOf(directory, tenant);
      const named = withPhysicalQueue(tenant, choice);
      const old = await findDeadLetter(store, named);
      const eventId = await editDeadLetter(parts.deadLetters, store, named, change, lang);
      log.info('parked.edited', { tenantId: tenant, eventId });
      await noteChange(store, origin, {
        action: 'dead-letter.edited',
        target: choice.eventId,
        before: { queue: old.queue, eventId: old.eventId, bytes: old.body.byteLength },
        after: { queue: old.queue, eventId, messageBytes: new TextEncoder().encode(change.messageJson).byteLength },
      });
      return eventId;
    },
    tryMessage: async (tenant, request, lang) =>
      tryMessage(parts.trials, storeOf(directory, tenant), withPhysicalQueue(tenant, request), lang),
    purgeDeadLetters: async (tenant, filter, lang, origin, note) => {
      const store = storeOf(directory, tenant);
      const removed = await purgeDeadLetters(parts.deadLetters, store, rowsOf(tenant, filter), lang, note);
      log.info('parked.purged', { tenantId: tenant, rows: removed.length });
      const after = { filter: { ...filter }, purged: removed.length };
      await noteChange(store, origin, { action: 'dead-letter.purged', target: targetOf(filter), after });
      return removed.length;
    },
  };
}

/** What a filter names first, for whoever looks for it in the log of changes. */
function targetOf({ eventId, queue, group, engineKey, reason }: ChangeFilter): string {
  return eventId ?? queue ?? group ?? engineKey ?? reason ?? '*';
}
