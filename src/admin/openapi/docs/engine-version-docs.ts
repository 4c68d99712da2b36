import { z } from 'zod';
import { DIFF_QUERY, ROLLBACK, SAVE, SWITCH, VERSIONS_QUERY } from '../../engine-version-routes.ts';
import { IN_DEMO, MOMENT, type RouteDocs } from '../route-doc.ts';

const VERSION = z.object({
  no: z.int(),
  key: z.string(),
  name: z.string(),
  version: z.string(),
  origin: z.enum(['push', 'save', 'rollback', 'found']),
  restoredFrom: z.int().nullable(),
  author: z.string(),
  savedAt: MOMENT,
});

const SWITCHED = z.object({ key: z.string(), name: z.string(), version: z.string(), enabled: z.boolean() });

const SAVED = SWITCHED.extend({
  no: z.int().nullable(),
  added: z.array(z.string()),
  changed: z.array(z.string()),
  unchanged: z.array(z.string()),
});

const DIFF = z.object({
  from: z.int(),
  to: z.int().nullable(),
  lines: z.array(z.object({ sign: z.enum([' ', '-', '+']), text: z.string() }).nullable()),
});

const CURRENT = z.object({ Current: z.object({ version: z.string(), enabled: z.boolean() }).nullable() });

const ONE_ENGINE = { ...IN_DEMO, key: 'hello' } as const;
const SAVE_REFUSALS = ['ENGINE_KEY_INVALID', 'ENGINE_CHANGED', 'PUSH_REFUSED', 'COLUMN_MISSING', 'DB_BUSY'] as const;

const WELCOME = `/**
 * Welcomes, over HTTP and from the queue.
 *
 * @queue greetings
 */
return { Code: 1, Data: 'welcome ' + (V8.Param.Name || 'queue') };
`;

/** One engine, and every source that it has had. */
export const ENGINE_VERSION_DOCS: RouteDocs = {
  'PUT /tenants/:tenant/engines/:key': {
    tag: 'engine',
    summary: {
      zh: '保存一个引擎；base 是打开时的版本，之后被改过则拒绝。',
      en: 'Saves one engine; with base, the version that was opened, a save over an unseen change is refused.',
    },
    body: SAVE,
    data: SAVED,
    errors: SAVE_REFUSALS,
    example: { path: ONE_ENGINE, body: { source: WELCOME } },
  },
  'PATCH /tenants/:tenant/engines/:key': {
    tag: 'engine',
    summary: { zh: '停用或启用引擎。', en: 'Switches an engine off or on.' },
    body: SWITCH,
    data: SWITCHED,
    errors: ['ENGINE_KEY_INVALID', 'ENGINE_MISSING', 'COLUMN_MISSING'],
    example: { path: ONE_ENGINE, body: { enabled: true } },
  },
  'GET /tenants/:tenant/engines/:key/versions': {
    tag: 'engine',
    summary: { zh: '引擎的版本，新的在前。', en: 'Versions of an engine, newest first.' },
    query: VERSIONS_QUERY,
    data: z.array(VERSION),
    append: CURRENT,
    hasTimeZone: true,
    errors: ['ENGINE_KEY_INVALID', 'ENGINE_MISSING'],
    example: { path: ONE_ENGINE, query: { limit: '10' } },
  },
  'GET /tenants/:tenant/engines/:key/versions/:no': {
    tag: 'engine',
    summary: { zh: '一个版本及其源代码。', en: 'One version with its source.' },
    data: VERSION.extend({ source: z.string() }),
    hasTimeZone: true,
    errors: ['ENGINE_KEY_INVALID', 'NOT_FOUND'],
    example: { path: { ...ONE_ENGINE, no: '1' } },
  },
  'GET /tenants/:tenant/engines/:key/diff': {
    tag: 'engine',
    summary: {
      zh: '两个版本之间，或一个版本与现在之间的不同。',
      en: 'What changed between two versions, or from one to what runs now.',
    },
    query: DIFF_QUERY,
    data: DIFF,
    errors: ['ENGINE_KEY_INVALID', 'ENGINE_MISSING', 'NOT_FOUND'],
    example: { path: ONE_ENGINE, query: { from: '1' } },
  },
  'POST /tenants/:tenant/engines/:key/rollback': {
    tag: 'engine',
    summary: {
      zh: '把旧版本的源代码作为新版本再次保存。',
      en: 'Saves the source of an older version again, as a new one.',
    },
    body: ROLLBACK,
    data: SAVED,
    errors: [...SAVE_REFUSALS, 'NOT_FOUND'],
    example: { path: ONE_ENGINE, body: { no: 1 } },
  },
};
