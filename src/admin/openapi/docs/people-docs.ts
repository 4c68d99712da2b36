import { z } from 'zod';
import { PERMISSIONS, type Permission, ROLES } from '../../../core/access.ts';
import { AUDIT_QUERY } from '../../audit-routes.ts';
import { IDENTITY_BODIES } from '../../identity-routes.ts';
import { ANY, IN_DEMO, MOMENT, NOTHING, type RouteDocs } from '../route-doc.ts';

const ROLE = z.enum(ROLES);
const PERMISSION = z.enum(Object.keys(PERMISSIONS) as Permission[]);

const USER = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  role: ROLE,
  level: z.int(),
  isHostAdmin: z.boolean(),
  isEnabled: z.boolean(),
  createdAt: MOMENT,
  lastLoginAt: MOMENT.nullable(),
});

const LOGIN = z.object({
  tenant: z.string(),
  token: z.string().nullable().describe('null when it is in the cookie'),
  expiresAt: MOMENT,
  sessionExpiresAt: MOMENT,
  csrf: z.string(),
  user: USER,
});

const SESSION = z.object({
  kind: z.enum(['host', 'config-key', 'api-key', 'user']),
  name: z.string(),
  tenant: z.string().nullable(),
  role: z.enum([...ROLES, 'host']),
  permissions: z.array(PERMISSION),
  user: USER.nullable(),
  expiresAt: MOMENT.nullable(),
  csrf: z.string().nullable(),
});

const KEY = z.object({
  id: z.string(),
  name: z.string(),
  role: ROLE,
  scopes: z.array(PERMISSION).nullable(),
  expiresAt: MOMENT.nullable(),
  createdAt: MOMENT,
  createdBy: z.string(),
  lastUsedAt: MOMENT.nullable(),
});

const CHANGE = z.object({
  id: z.string(),
  at: MOMENT,
  actorKind: z.string(),
  actorId: z.string(),
  actorName: z.string(),
  address: z.string(),
  action: z.string(),
  target: z.string(),
  before: ANY,
  after: ANY,
});

const ONE_USER = { ...IN_DEMO, userId: '01JUSER0000000000000000000' } as const;
const PASSWORD = 'correct horse battery';

/** Logging in, users, keys and the log of changes. */
export const PEOPLE_DOCS: RouteDocs = {
  'POST /setup': {
    tag: 'login',
    summary: {
      zh: '用首次启动的一次性代码建立管理员。',
      en: 'Makes the first administrator by the one-time code of the first start.',
    },
    status: 201,
    body: IDENTITY_BODIES['POST /setup'],
    data: LOGIN,
    errors: ['SETUP_CLOSED', 'LOGIN_LIMITED'],
    example: { body: { code: 'code-of-the-first-start', account: 'admin', password: PASSWORD } },
  },
  'POST /login': {
    tag: 'login',
    summary: { zh: '用账号和密码登录。', en: 'Logs in by account and password.' },
    body: IDENTITY_BODIES['POST /login'],
    data: LOGIN,
    errors: ['LOGIN_FAILED', 'LOGIN_LIMITED', 'LOGIN_BUSY'],
    example: { body: { tenant: 'demo', account: 'admin', password: PASSWORD } },
  },
  'GET /session': {
    tag: 'login',
    summary: { zh: '调用者是谁，可以做什么。', en: 'Who the caller is, and what he may do.' },
    data: SESSION,
    errors: [],
    example: {},
  },
  'POST /session/password': {
    tag: 'login',
    summary: { zh: '修改自己的密码；其他登录随之结束。', en: 'Changes the own password; other logins end.' },
    body: IDENTITY_BODIES['POST /session/password'],
    data: LOGIN,
    errors: ['LOGIN_FAILED', 'LOGIN_LIMITED'],
    example: { body: { old: PASSWORD, password: 'staple of the battery' } },
  },
  'DELETE /session': {
    tag: 'login',
    summary: { zh: '退出登录。', en: 'Logs out.' },
    data: NOTHING,
    errors: [],
    example: {},
  },
  'POST /signing-keys/rotate': {
    tag: 'login',
    summary: { zh: '更换签发令牌的密钥。', en: 'Makes a new key that signs tokens.' },
    body: IDENTITY_BODIES['POST /signing-keys/rotate'],
    data: z.object({ kid: z.string() }),
    errors: [],
    example: { body: { endLogins: false } },
  },
  'GET /tenants/:tenant/users': {
    tag: 'people',
    summary: { zh: '列出用户。', en: 'Lists the users.' },
    data: z.array(USER),
    errors: [],
    example: { path: IN_DEMO },
  },
  'POST /tenants/:tenant/users': {
    tag: 'people',
    summary: { zh: '新建用户。', en: 'Makes a user.' },
    status: 201,
    body: IDENTITY_BODIES['POST /tenants/:tenant/users'],
    data: USER,
    errors: ['USER_EXISTS', 'ROLE_DENIED'],
    example: { path: IN_DEMO, body: { account: 'li', name: '李', password: PASSWORD, role: 'developer' } },
  },
  'GET /tenants/:tenant/users/:userId': {
    tag: 'people',
    summary: { zh: '一个用户。', en: 'One user.' },
    data: USER,
    errors: ['NOT_FOUND'],
    example: { path: ONE_USER },
  },
  'PATCH /tenants/:tenant/users/:userId': {
    tag: 'people',
    summary: { zh: '修改用户；只改给出的字段。', en: 'Changes the given fields of a user.' },
    body: IDENTITY_BODIES['PATCH /tenants/:tenant/users/:userId'],
    data: USER,
    errors: ['NOT_FOUND', 'LAST_ADMIN', 'ROLE_DENIED'],
    example: { path: ONE_USER, body: { role: 'operator' } },
  },
  'DELETE /tenants/:tenant/users/:userId/sessions': {
    tag: 'people',
    summary: { zh: '结束用户的全部登录。', en: "Ends a user's logins." },
    data: z.object({ ended: z.int() }),
    errors: ['NOT_FOUND'],
    example: { path: ONE_USER },
  },
  'DELETE /tenants/:tenant/users/:userId': {
    tag: 'people',
    summary: { zh: '删除用户。', en: 'Removes a user.' },
    data: NOTHING,
    errors: ['NOT_FOUND', 'LAST_ADMIN'],
    example: { path: ONE_USER },
  },
  'GET /tenants/:tenant/keys': {
    tag: 'people',
    summary: { zh: '列出密钥，从不显示其内容。', en: 'Lists the keys, never their texts.' },
    data: z.array(KEY),
    errors: [],
    example: { path: IN_DEMO },
  },
  'POST /tenants/:tenant/keys': {
    tag: 'people',
    summary: { zh: '新建密钥；内容只显示这一次。', en: 'Makes a key; its text is shown this once.' },
    status: 201,
    body: IDENTITY_BODIES['POST /tenants/:tenant/keys'],
    data: KEY.extend({ key: z.string() }),
    errors: [],
    example: { path: IN_DEMO, body: { name: 'ci', role: 'developer', scopes: ['engine.push'] } },
  },
  'DELETE /tenants/:tenant/keys/:keyId': {
    tag: 'people',
    summary: { zh: '作废密钥。', en: 'Withdraws a key.' },
    data: NOTHING,
    errors: ['NOT_FOUND'],
    example: { path: { ...IN_DEMO, keyId: '01JKEY00000000000000000000' } },
  },
  'GET /tenants/:tenant/audit': {
    tag: 'people',
    summary: { zh: '变更记录，最新的在前。', en: 'The log of changes, newest first.' },
    query: AUDIT_QUERY,
    data: z.array(CHANGE),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO, query: { limit: '20' } },
  },
};
