import { z } from 'zod';
import { OUTBOX_CHOICE, OUTBOX_QUERY } from '../../outbox-routes.ts';
import { IN_DEMO, MOMENT, type RouteDocs } from '../route-doc.ts';

const ROW = z.object({
  seq: z.int(),
  runId: z.string(),
  sentAt: MOMENT.nullable(),
  queue: z.string(),
  eventId: z.string(),
  state: z.enum(['ready', 'failed']),
  attempts: z.int(),
  lastError: z.string().nullable(),
  bytes: z.int(),
});

const REFUSALS = ['NOT_FOUND', 'OUTBOX_NOT_FAILED', 'DB_BUSY'] as const;

/** Messages that were committed and are not in their queue yet. */
export const OUTBOX_DOCS: RouteDocs = {
  'GET /tenants/:tenant/outbox': {
    tag: 'message',
    summary: {
      zh: '发件箱：已提交、尚未进入队列的消息。',
      en: 'The outbox: messages that are not in their queue yet.',
    },
    query: OUTBOX_QUERY,
    data: z.array(ROW),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO, query: { state: 'failed' } },
  },
  'GET /tenants/:tenant/outbox/:seq': {
    tag: 'message',
    summary: { zh: '发件箱中的一条消息及其内容。', en: 'One message of the outbox with its content.' },
    data: ROW.extend({ body: z.string().nullable(), headers: z.record(z.string(), z.unknown()).nullable() }),
    hasTimeZone: true,
    errors: ['NOT_FOUND'],
    example: { path: { ...IN_DEMO, seq: '1000' } },
  },
  'POST /tenants/:tenant/outbox/retry': {
    tag: 'message',
    summary: { zh: '重新发送失败的消息。', en: 'Sends failed messages again.' },
    body: OUTBOX_CHOICE,
    data: z.object({ retried: z.int() }),
    errors: REFUSALS,
    example: { path: IN_DEMO, body: { seq: 1000 } },
  },
  'POST /tenants/:tenant/outbox/discard': {
    tag: 'message',
    summary: { zh: '放弃失败的消息，不再发送。', en: 'Gives failed messages up for good.' },
    body: OUTBOX_CHOICE,
    data: z.object({ discarded: z.int() }),
    errors: REFUSALS,
    example: { path: IN_DEMO, body: { all: true } },
  },
};
