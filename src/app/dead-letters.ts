import { encodeEnvelope, readEnvelope } from '../core/envelope.ts';
import { AppError, describeError, type ErrorRecord, type Lang, orThrow } from '../core/errors.ts';
import { parseEventId } from '../core/event-id.ts';
import { parseJson } from '../core/json-text.ts';
import { NOT_WATCHED, type NoteProgress } from '../core/progress.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeadEdit, DeadFilter, ParkedKey, ReplayRefusal } from '../ports/dead-letters.ts';
import type { Ids } from '../ports/ids.ts';
import type { ParkedRow, TenantStore } from '../ports/tenant-store.ts';
import { checkMessageSize } from './message-build.ts';
import type { ParkedMover } from './move-parked.ts';

export interface DeadLetterServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mover: Pick<ParkedMover, 'expect'>;
}

/** A dead letter that stayed, and why. */
export interface RefusedReplay extends ParkedKey {
  readonly error: ErrorRecord;
}

export interface ReplayOutcome {
  readonly replayed: readonly ParkedKey[];
  readonly refused: readonly RefusedReplay[];
}

/** Which dead letter is meant: the one that failed last unless queue, cycle and attempt say more. */
export interface DeadLetterChoice {
  readonly eventId: string;
  /** Physical name. */
  readonly queue?: string;
  readonly cycle?: number;
  readonly attempt?: number;
}

/** What a dead letter shall say when it is replayed. */
export interface DeadLetterChange {
  /** JSON text of the new Message. */
  readonly messageJson: string;
  /** Another EventId, for a message whose own was used for another content. */
  readonly eventId?: string;
}

/** What people did to an event, as its story tells it. */
type Deed = 'replayed' | 'edited' | 'purged';

/** Replays what the filter names, keeping each EventId; each refusal says why. @param watch told after each batch. */
export async function replayDeadLetters(
  services: DeadLetterServices,
  store: TenantStore,
  filter: DeadFilter,
  lang: Lang,
  watch: NoteProgress = NOT_WATCHED,
): Promise<ReplayOutcome> {
  const report = await store.deadLetters.replay(filter, async ({ replayed }, share) => {
    await noteAll(services, store, replayed, { deed: 'replayed', note: REPLAYED[lang] });
    if (replayed.length > 0) services.mover.expect(store, 0);
    watch({ step: 'replay', ...share });
  });
  const refused = report.refused.map(({ key, why }) => ({ ...key, error: refusalOf(key, why) }));
  return { replayed: report.replayed, refused };
}

/** Removes dead letters for good; their story keeps that it was done. @param watch told after each batch. */
export async function purgeDeadLetters(
  services: DeadLetterServices,
  store: TenantStore,
  filter: DeadFilter,
  lang: Lang,
  watch: NoteProgress = NOT_WATCHED,
): Promise<readonly ParkedKey[]> {
  return store.deadLetters.purge(filter, async (removed, share) => {
    await noteAll(services, store, removed, { deed: 'purged', note: PURGED[lang] });
    watch({ step: 'purge', ...share });
  });
}

/** The row that a choice names. @throws AppError NOT_FOUND. */
export async function findDeadLetter(store: TenantStore, choice: DeadLetterChoice): Promise<ParkedRow> {
  const rows = await store.deadLetters.find(choice);
  const { cycle, attempt } = choice;
  const row = rows.find(
    (found) => (cycle ?? found.cycle) === found.cycle && (attempt ?? found.attempt) === found.attempt,
  );
  if (row === undefined) throw new AppError('NOT_FOUND', { what: `EventId ${choice.eventId}` });
  return row;
}

/**
 * Replaces the message of a dead letter and replays it.
 * @returns the EventId under which it runs.
 * @throws AppError NOT_FOUND, EVENT_ID_INVALID, JSON_INVALID, MESSAGE_TOO_LARGE, MESSAGE_TOO_MANY_VALUES,
 * DEAD_LETTER_NOT_DEAD, DEAD_LETTER_DONE, DEAD_LETTER_ID_REUSED.
 */
export async function editDeadLetter(
  services: DeadLetterServices,
  store: TenantStore,
  choice: DeadLetterChoice,
  change: DeadLetterChange,
  lang: Lang,
): Promise<string> {
  const row = await findDeadLetter(store, choice);
  const edit = editedMessage(services, store.tenant, row, change);
  const why = await store.deadLetters.replace(row, edit);
  if (why !== undefined) {
    const { code, params } = refusalOf({ ...row, eventId: edit.eventId }, why);
    throw new AppError(code, params);
  }
  noteDeed(services, store, row, { deed: 'edited', note: EDITED[lang](edit.eventId, row.eventId) });
  if (edit.eventId !== row.eventId) {
    const renamed = { ...row, eventId: edit.eventId };
    noteDeed(services, store, renamed, { deed: 'edited', note: EDITED[lang](edit.eventId, row.eventId) });
  }
  services.mover.expect(store, 0);
  return edit.eventId;
}

/** The envelope is made anew: what was wrong with an unreadable one must not stay. */
function editedMessage(
  services: DeadLetterServices,
  tenant: string,
  row: ParkedRow,
  change: DeadLetterChange,
): DeadEdit {
  const eventId = orThrow(parseEventId(change.eventId)) ?? row.eventId;
  const message = orThrow(parseJson(change.messageJson));
  const old = readEnvelope(row.body, row.props, tenant);
  const known = old.ok ? old.value : undefined;
  const traceParent = known?.traceParent ?? null;
  const envelope = encodeEnvelope({
    eventId,
    tenant,
    traceParent,
    traceState: known?.traceState ?? null,
    messageJson: change.messageJson,
    currentUserId: known?.currentUserId ?? null,
  });
  const body = new TextEncoder().encode(envelope);
  orThrow(checkMessageSize(body, envelope));
  const { traceparent: _old, ...headers } = row.props.headers;
  return {
    eventId,
    messageHash: services.ids.sha256Hex(JSON.stringify(message)),
    body,
    props: {
      messageId: eventId,
      headers: { ...headers, ...(traceParent === null ? {} : { traceparent: traceParent }) },
    },
  };
}

/** Why a dead letter stays as it is. */
function refusalOf(key: ParkedKey, why: ReplayRefusal): ErrorRecord {
  const { eventId } = key;
  if (why === 'done') return { code: 'DEAD_LETTER_DONE', params: { eventId } };
  if (why === 'event-id-reused') return { code: 'DEAD_LETTER_ID_REUSED', params: { eventId } };
  if (why === 'not-dead') return { code: 'DEAD_LETTER_NOT_DEAD', params: { eventId } };
  return { code: 'NOT_FOUND', params: { what: `EventId ${eventId}` } };
}

/** Written before more is done: a journal that has to hold too many rows drops the oldest. */
async function noteAll(
  services: DeadLetterServices,
  store: TenantStore,
  keys: readonly ParkedKey[],
  note: { deed: Deed; note: string },
): Promise<void> {
  for (const key of keys) noteDeed(services, store, key, note);
  await store.journal.flush();
}

/** Puts a deed into the event's story. */
function noteDeed(
  { clock, ids }: DeadLetterServices,
  store: TenantStore,
  key: ParkedKey,
  { deed, note }: { deed: Deed; note: string },
): void {
  const at = clock.now();
  store.journal.attempt({
    runId: ids.ulid(),
    queue: key.queue,
    eventId: key.eventId,
    attempt: key.attempt,
    engineKey: '',
    version: '',
    startedAt: at,
    endedAt: at,
    verdict: deed,
    reason: '',
    message: note,
    hostCalls: [],
  });
}

const REPLAYED: Readonly<Record<Lang, string>> = {
  zh: '有人重放了这条死信',
  en: 'Somebody replayed this dead letter',
};

const PURGED: Readonly<Record<Lang, string>> = {
  zh: '有人清除了这条死信，它不会再运行',
  en: 'Somebody purged this dead letter; it does not run any more',
};

const EDITED: Readonly<Record<Lang, (eventId: string, oldEventId: string) => string>> = {
  zh: (eventId, old) =>
    eventId === old ? '有人修改了消息内容并重放' : `有人修改了消息内容并以新的 EventId 重放：${old} → ${eventId}`,
  en: (eventId, old) =>
    eventId === old
      ? 'Somebody edited the message and replayed it'
      : `Somebody edited the message and replayed it under another EventId: ${old} → ${eventId}`,
};

/** A refusal with its sentence, as answers carry it. */
export function presentRefusedReplay({ error, ...key }: RefusedReplay, lang: Lang) {
  return { ...key, code: error.code, message: describeError(error, lang) };
}
