import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { presentRefusedReplay, type ReplayOutcome } from '../app/dead-letters.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { errorPattern } from '../core/error-group.ts';
import type { Lang } from '../core/errors.ts';
import { memberText } from '../core/json-text.ts';
import { DEAD_REASONS } from '../core/parked.ts';
import type { DeadGroup } from '../ports/dead-letters.ts';
import type { ParkedRow } from '../ports/tenant-store.ts';
import { bodyOf, readBody } from './json-body.ts';
import { placeText, readPlace } from './page-place.ts';
import { answerLongWork } from './progress-answer.ts';
import {
  listLimit,
  mayReadContent,
  originOf,
  pathPart,
  type RouteContext,
  readQuery,
  tenantOf,
  withTimeZone,
} from './route-context.ts';
import { ownRule } from './validate.ts';

/** Characters of a message shown in a listing. */
const BODY_SHOWN = 2000;
/** Refusals named in one answer; `refusedCount` has the whole number. */
const REFUSALS_SHOWN = 100;
const DAY_MS = 86_400_000;

const text = z.string().min(1).optional();

export const FILTER = {
  queue: text,
  eventId: text,
  reason: z.enum([...DEAD_REASONS, 'retry']).optional(),
  group: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  engineKey: text,
};

export const LIST_QUERY = {
  ...FILTER,
  state: z.enum(['dead', 'waiting', 'behind', 'replayed', 'resolved']).default('dead'),
  limit: listLimit,
  after: text,
};

export const CHOICE = {
  queue: text,
  cycle: z.coerce.number().int().min(1).optional(),
  attempt: z.coerce.number().int().min(1).optional(),
};

export const CHANGE_FILTER = z
  .strictObject({ ...FILTER, olderThanDays: z.number().min(0).optional(), all: z.boolean().optional() })
  .refine(
    ({ all, ...filter }) => all === true || Object.values(filter).some((value) => value !== undefined),
    ownRule(
      '必须指定 queue、eventId、reason、group、engineKey、olderThanDays 或 all:true 之一',
      'one of queue, eventId, reason, group, engineKey, olderThanDays or all:true is needed',
    ),
  );

export const EDIT = z
  .strictObject({ ...CHOICE, EventId: text, Message: z.unknown().optional() })
  .refine(
    (body) => Object.hasOwn(body, 'Message'),
    ownRule('缺少 Message：填写修改后的 JSON', 'Message is missing: give the JSON as it shall be'),
  );

/** The routes below `tenants/{t}/dead-letters`: list, groups, show, replay, edit, purge. */
export function addDeadLetterRoutes(api: FastifyInstance, context: RouteContext): void {
  addLookRoutes(api, context);
  addChangeRoutes(api, context);
}

function addLookRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const mayRead = (request: FastifyRequest): boolean => mayReadContent(request, context);
  api.get('/tenants/:tenant/dead-letters', async (request): Promise<DosResult> => {
    const lang = langOf(request);
    const { state, limit, after, ...filter } = readQuery(request, LIST_QUERY, lang);
    const place = after === undefined ? {} : { after: readPlace(after) };
    const page = await services.deadLetters(tenantOf(request), { ...given(filter), state, limit, ...place });
    const next = page.next === undefined ? null : placeText(page.next);
    const extra = { DataCount: page.rows.length, DataAppend: { Total: page.total, Next: next } };
    const shown = page.rows.map(presentShort).map(mayRead(request) ? whole : withoutContent);
    return withTimeZone(succeed(shown, extra), context);
  });

  api.get('/tenants/:tenant/dead-letter-groups', async (request): Promise<DosResult> => {
    const filter = given(readQuery(request, FILTER, langOf(request)));
    const groups = await services.deadLetterGroups(tenantOf(request), filter);
    return withTimeZone(succeed(groups.map(presentGroup), { DataCount: groups.length }), context);
  });

  api.get('/tenants/:tenant/dead-letters/:eventId', async (request): Promise<DosResult> => {
    const choice = given(readQuery(request, CHOICE, langOf(request)));
    const eventId = pathPart(request, 'eventId');
    const row = await services.deadLetter(tenantOf(request), { ...choice, eventId });
    const shown = presentWhole(row);
    return withTimeZone(succeed(mayRead(request) ? shown : withoutContent(shown)), context);
  });
}

function addChangeRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.post('/tenants/:tenant/dead-letters/replay', async (request, reply) => {
    const lang = langOf(request);
    const tenant = tenantOf(request);
    const filter = changeFilter(readBody(request, CHANGE_FILTER, lang));
    const origin = originOf(request, context);
    return answerLongWork(request, reply, context, async (note) => {
      const outcome = await services.replayDeadLetters(tenant, filter, lang, origin, note);
      return { status: 200, body: succeed(presentReplay(outcome, lang)) };
    });
  });

  api.post('/tenants/:tenant/dead-letters/purge', async (request, reply) => {
    const lang = langOf(request);
    const tenant = tenantOf(request);
    const filter = changeFilter(readBody(request, CHANGE_FILTER, lang));
    const origin = originOf(request, context);
    return answerLongWork(request, reply, context, async (note) => {
      const purged = await services.purgeDeadLetters(tenant, filter, lang, origin, note);
      return { status: 200, body: succeed({ purged }) };
    });
  });

  api.post('/tenants/:tenant/dead-letters/:eventId/edit', async (request): Promise<DosResult> => {
    const lang = langOf(request);
    const { EventId: newEventId, Message: _message, ...choice } = readBody(request, EDIT, lang);
    const messageJson = memberText(bodyOf(request)?.text ?? '{}', 'Message') ?? 'null';
    const change = { messageJson, ...(newEventId === undefined ? {} : { eventId: newEventId }) };
    const named = { ...given(choice), eventId: pathPart(request, 'eventId') };
    const origin = originOf(request, context);
    return succeed({ EventId: await services.editDeadLetter(tenantOf(request), named, change, lang, origin) });
  });
}

function changeFilter({ olderThanDays, ...filter }: z.output<typeof CHANGE_FILTER>) {
  return { ...given(filter), ...(olderThanDays === undefined ? {} : { olderThanMs: olderThanDays * DAY_MS }) };
}

/** The parameters that were given. */
function given<T extends object>(parameters: T): Given<T> {
  const entries = Object.entries(parameters).filter(([name, value]) => value !== undefined && name !== '_Lang');
  return Object.fromEntries(entries) as Given<T>;
}

type Given<T> = { [K in Exclude<keyof T, '_Lang'>]?: Exclude<T[K], undefined> };

function presentReplay({ replayed, refused }: ReplayOutcome, lang: Lang) {
  return {
    replayed: replayed.length,
    refusedCount: refused.length,
    refused: refused.slice(0, REFUSALS_SHOWN).map((refusal) => presentRefusedReplay(refusal, lang)),
  };
}

function presentGroup(group: DeadGroup) {
  return { ...group, pattern: errorPattern(group.error) };
}

/** A parked message as people read it: its text instead of bytes. Times are milliseconds UTC. */
function presentParked(row: ParkedRow) {
  return {
    queue: row.queue,
    eventId: row.eventId,
    cycle: row.cycle,
    attempt: row.attempt,
    state: row.parkedState,
    reason: row.reason,
    error: row.error,
    engineKey: row.engineKey,
    version: row.version,
    dueAt: row.dueAt,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    bytes: row.body.byteLength,
    body: new TextDecoder().decode(row.body),
  };
}

/** As it stands in a listing, with the beginning of its message. */
function presentShort(row: ParkedRow) {
  const shown = presentParked(row);
  return shown.body.length > BODY_SHOWN ? { ...shown, body: `${shown.body.slice(0, BODY_SHOWN)}…` } : shown;
}

function presentWhole(row: ParkedRow) {
  return { ...presentParked(row), messageId: row.props.messageId ?? null, headers: row.props.headers };
}

function whole<T>(shown: T): T {
  return shown;
}

/** What somebody sees who may not read what messages say: that it is there, and how long it is. */
function withoutContent<T extends { readonly body: string; readonly headers?: unknown }>(shown: T) {
  return { ...shown, body: null, ...(shown.headers === undefined ? {} : { headers: null }) };
}
