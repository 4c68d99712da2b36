import { z } from 'zod';
import { CHANGE_FILTER, CHOICE, EDIT, FILTER, LIST_QUERY } from '../../dead-letter-routes.ts';
import { ANY, IN_DEMO, MOMENT, type RouteDocs } from '../route-doc.ts';

const PARKED = z.object({
  queue: z.string(),
  eventId: z.string(),
  cycle: z.int(),
  attempt: z.int(),
  state: z.string(),
  reason: z.string(),
  error: z.string(),
  engineKey: z.string(),
  version: z.string(),
  dueAt: MOMENT,
  firstAt: MOMENT,
  lastAt: MOMENT,
  bytes: z.int(),
  body: z.string().nullable().describe('null for callers without content.read'),
});

const GROUP = z.object({
  group: z.string(),
  reason: z.string(),
  rows: z.int(),
  queues: z.int(),
  firstAt: MOMENT,
  lastAt: MOMENT,
  error: z.string(),
  pattern: z.string(),
});

const REFUSED = z.object({
  queue: z.string(),
  eventId: z.string(),
  cycle: z.int(),
  attempt: z.int(),
  code: z.string(),
  message: z.string(),
});

const REPLAY = z.object({ replayed: z.int(), refusedCount: z.int(), refused: z.array(REFUSED) });

/** Messages that need people. */
export const DEAD_LETTER_DOCS: RouteDocs = {
  'GET /tenants/:tenant/dead-letters': {
    tag: 'dead-letter',
    summary: { zh: '死信，最近失败的在前。', en: 'Dead letters, those that failed last first.' },
    query: LIST_QUERY,
    data: z.array(PARKED),
    append: z.object({ Total: z.int(), Next: z.string().nullable() }),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO, query: { queue: 'failures', limit: '20' } },
  },
  'GET /tenants/:tenant/dead-letter-groups': {
    tag: 'dead-letter',
    summary: { zh: '按原因分组的死信。', en: 'Dead letters by reason and cause.' },
    query: FILTER,
    data: z.array(GROUP),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/dead-letters/:eventId': {
    tag: 'dead-letter',
    summary: { zh: '一条死信的全部内容。', en: 'One dead letter with its whole message.' },
    query: CHOICE,
    data: PARKED.extend({ messageId: z.string().nullable(), headers: z.record(z.string(), ANY).nullable() }),
    hasTimeZone: true,
    errors: ['NOT_FOUND'],
    example: { path: { ...IN_DEMO, eventId: 'failure-1' } },
  },
  'POST /tenants/:tenant/dead-letters/:eventId/edit': {
    tag: 'dead-letter',
    summary: { zh: '改写死信内容并重放。', en: 'Replaces the message of a dead letter and replays it.' },
    body: EDIT,
    data: z.object({ EventId: z.string() }),
    errors: [
      'NOT_FOUND',
      'DEAD_LETTER_NOT_DEAD',
      'DEAD_LETTER_DONE',
      'DEAD_LETTER_ID_REUSED',
      'MESSAGE_TOO_LARGE',
      'MESSAGE_TOO_MANY_VALUES',
    ],
    example: { path: { ...IN_DEMO, eventId: 'failure-1' }, body: { Message: { Name: 'Wang' } } },
  },
  'POST /tenants/:tenant/dead-letters/replay': {
    tag: 'dead-letter',
    summary: { zh: '让死信以原 EventId 再次等待运行。', en: 'Makes dead messages wait again under their EventIds.' },
    body: CHANGE_FILTER,
    data: REPLAY,
    errors: [],
    example: { path: IN_DEMO, body: { eventId: 'failure-2' } },
  },
  'POST /tenants/:tenant/dead-letters/purge': {
    tag: 'dead-letter',
    summary: { zh: '永久删除死信。', en: 'Removes dead messages for good.' },
    body: CHANGE_FILTER,
    data: z.object({ purged: z.int() }),
    errors: [],
    example: { path: IN_DEMO, body: { queue: 'failures', olderThanDays: 30 } },
  },
};
