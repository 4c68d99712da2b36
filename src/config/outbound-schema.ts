/** `outbound.tenants`: what single tenants may reach, and which credentials their scripts may name. */
import * as z from 'zod';
import { bilingual, ruleOf } from '../core/bilingual.ts';
import { isHeaderName, isHeaderValue } from '../core/outbound-credential.ts';
import { parseAllowedTarget } from '../core/outbound-target.ts';
import { parseTenantId, tenantKey } from '../core/tenant.ts';
import { Secret } from './secret.ts';

export const TENANT = z.string().superRefine((text, context) => {
  const parsed = parseTenantId(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: ruleOf(parsed.error) });
});

export const TARGET = z.string().refine((text) => parseAllowedTarget(text) !== undefined, {
  error: bilingual(
    '须为 host、host:port 或 [IPv6]:port，不含协议、路径和通配符',
    'host, host:port or [IPv6]:port, without scheme, path or wildcard',
  ),
});

const CREDENTIAL_NAME = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/, {
  error: bilingual(
    '凭据名：字母或数字开头，只含字母、数字、. _ -，最多 50 个字符',
    'name of a credential: letters, digits, . _ and -, beginning with a letter or digit, at most 50',
  ),
});

const HEADER_NAME = z
  .string()
  .refine(isHeaderName, { error: bilingual('不是合法的请求头名', 'not the name of a header') });

/** Text that a header can carry; checked here, never printed. */
const SECRET = z
  .string()
  .min(1)
  .refine(isHeaderValue, { error: bilingual('不能含换行和非拉丁字符', 'Latin text without line breaks') })
  .transform((text) => new Secret(text));

const PASSWORD = z.string().transform((text) => new Secret(text));

const CREDENTIAL = z
  .strictObject({
    hosts: z.array(TARGET).min(1),
    bearer: SECRET.optional(),
    user: z.string().min(1).optional(),
    password: PASSWORD.optional(),
    headers: z.record(HEADER_NAME, SECRET).optional(),
  })
  .refine(hasOneKind, {
    error: bilingual(
      '须恰好给出 bearer、user 与 password、headers 三者之一',
      'exactly one of bearer, user with password, or headers',
    ),
  });

function hasOneKind({
  bearer,
  user,
  password,
  headers,
}: {
  bearer?: unknown;
  user?: string | undefined;
  password?: unknown;
  headers?: object | undefined;
}): boolean {
  const basic = user !== undefined || password !== undefined;
  const kinds = [bearer !== undefined, basic, headers !== undefined && Object.keys(headers).length > 0];
  const isWhole = !basic || (user !== undefined && password !== undefined && !user.includes(':'));
  return isWhole && kinds.filter(Boolean).length === 1;
}

export const TENANT_OUTBOUND = z
  .record(
    TENANT,
    z.strictObject({
      allow: z.array(TARGET).default([]),
      credentials: z.record(CREDENTIAL_NAME, CREDENTIAL).default({}),
    }),
  )
  .refine((tenants) => new Set(Object.keys(tenants).map(tenantKey)).size === Object.keys(tenants).length, {
    error: bilingual('同一租户以不同大小写写了两次', 'the same tenant is written twice in different case'),
  });
