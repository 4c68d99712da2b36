import { PERMISSIONS, type Permission } from '../../core/access.ts';
import { ERROR_TABLE } from '../../core/error-table.ts';
import type { ErrorCode, Lang } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { PUBLIC } from '../route-permissions.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { ANY, type RouteDoc, type RouteDocs, type RouteTag } from './route-doc.ts';

/** A route as it was registered below the prefix. */
export interface ServedRoute {
  readonly method: string;
  /** Below the prefix, such as `/tenants/:tenant/engines`. */
  readonly url: string;
  readonly permission: Permission | typeof PUBLIC;
}

/** Where the described routes begin. */
export const API_PREFIX = '/api/v1';

const TAGS: Readonly<Record<RouteTag | 'other', Readonly<Record<Lang, string>>>> = {
  login: { zh: '登录', en: 'Logging in' },
  people: { zh: '用户、密钥与变更记录', en: 'Users, keys and the log of changes' },
  host: { zh: '主机', en: 'The host' },
  tenant: { zh: '租户', en: 'Tenants' },
  engine: { zh: '引擎', en: 'Engines' },
  binding: { zh: '队列绑定', en: 'Bindings' },
  message: { zh: '消息', en: 'Messages' },
  'dead-letter': { zh: '死信', en: 'Dead letters' },
  mqtt: { zh: 'MQTT', en: 'MQTT' },
  other: { zh: '其他', en: 'Others' },
};

const WORDS = {
  title: { zh: 'V8 引擎主机 管理接口', en: 'V8 engine host admin API' },
  about: {
    zh: '每个响应都是 DosResult，并带真实的 HTTP 状态码。ReasonCode 在两种语言中相同。时间为 1970 年以来的毫秒数（UTC）。',
    en: 'Every answer is a DosResult with a real HTTP status. ReasonCode is the same in both languages. Times are milliseconds since 1970 UTC.',
  },
  public: { zh: '无需令牌。', en: 'No token needed.' },
  hostOnly: { zh: '仅限整个主机的令牌', en: 'the token of the whole host only' },
  success: { zh: '成功。', en: 'Done.' },
  token: {
    zh: '主机的令牌、租户的密钥或登录的令牌。',
    en: 'The token of the host, a key of a tenant, or the token of a login.',
  },
  language: { zh: '以 en 开头为英文，其他为中文。', en: 'English when it begins with en, else 中文.' },
} as const satisfies Record<string, Readonly<Record<Lang, string>>>;

/** Refusals of every route that needs a token. */
const GUARD_ERRORS: readonly ErrorCode[] = [
  'UNAUTHORIZED',
  'TOKEN_EXPIRED',
  'SESSION_ENDED',
  'CSRF_REFUSED',
  'ROLE_DENIED',
];
const TENANT_ERRORS: readonly ErrorCode[] = ['TENANT_INVALID', 'TOKEN_FOREIGN', 'TENANT_UNKNOWN', 'TENANT_UNAVAILABLE'];
const BODY_ERRORS: readonly ErrorCode[] = [
  'REQUEST_INVALID',
  'JSON_INVALID',
  'MEDIA_TYPE_UNSUPPORTED',
  'REQUEST_TOO_LARGE',
];

/**
 * The OpenAPI 3.1 document of the routes that are served. A route without a row of its own is in it by what the server
 * knows: its path, its permission and the refusals of its kind.
 */
export function openApiDocument(routes: readonly ServedRoute[], docs: RouteDocs, lang: Lang): JsonObject {
  const order = Object.keys(docs);
  const place = ({ method, url }: ServedRoute): number => {
    const found = order.indexOf(`${method} ${url}`);
    return found < 0 ? order.length : found;
  };
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of [...routes].sort((a, b) => place(a) - place(b))) {
    const path = templatePath(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, docs, lang) };
  }
  return {
    openapi: '3.1.0',
    info: { title: WORDS.title[lang], version: 'v1', description: WORDS.about[lang] },
    servers: [{ url: API_PREFIX }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, words]) => ({ name, description: words[lang] })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: WORDS.token[lang] } },
      parameters: { lang: languageParameter(lang) },
      schemas: { Failure: FAILURE },
    },
  };
}

function operationOf(route: ServedRoute, docs: RouteDocs, lang: Lang): JsonObject {
  const doc = docs[`${route.method} ${route.url}`];
  const isPublic = route.permission === PUBLIC;
  return {
    operationId: operationId(route),
    tags: [doc?.tag ?? 'other'],
    summary: doc?.summary[lang] ?? `${route.method} ${templatePath(route.url)}`,
    description: permissionText(route.permission, lang),
    'x-permission': route.permission,
    ...(isPublic ? { security: [] } : {}),
    parameters: [...pathParameters(route.url, doc), ...queryParameters(doc), { $ref: '#/components/parameters/lang' }],
    ...(doc?.body === undefined ? {} : { requestBody: requestBody(doc) }),
    responses: { ...successOf(doc, lang), ...refusalsOf(route, doc, lang) },
  };
}

function permissionText(permission: ServedRoute['permission'], lang: Lang): string {
  if (permission === PUBLIC) return WORDS.public[lang];
  const roles: readonly string[] = PERMISSIONS[permission];
  const who = roles.length === 0 ? WORDS.hostOnly[lang] : roles.join(', ');
  return lang === 'zh' ? `权限 ${permission}：${who}。` : `Permission ${permission}: ${who}.`;
}

function pathParameters(url: string, doc: RouteDoc | undefined): JsonObject[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const example = doc?.example.path?.[name];
    return {
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      ...(example === undefined ? {} : { example }),
    };
  });
}

function queryParameters(doc: RouteDoc | undefined): JsonObject[] {
  return Object.entries(doc?.query ?? {}).map(([name, schema]) => {
    const example = doc?.example.query?.[name];
    return {
      name,
      in: 'query',
      schema: jsonSchemaOf(schema as Parameters<typeof jsonSchemaOf>[0]),
      ...(example === undefined ? {} : { example }),
    };
  });
}

function requestBody({ body, example }: RouteDoc): JsonObject {
  if (body === undefined) return {};
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': {
        schema: jsonSchemaOf(body),
        ...(example.body === undefined ? {} : { example: example.body }),
      },
    },
  };
}

function successOf(doc: RouteDoc | undefined, lang: Lang): JsonObject {
  const media = doc?.media ?? 'application/json';
  const schema = doc?.media === undefined ? successSchema(doc) : jsonSchemaOf(doc.data);
  return { [doc?.status ?? 200]: { description: WORDS.success[lang], content: { [media]: { schema } } } };
}

function successSchema(doc: RouteDoc | undefined): JsonObject {
  // A script's own result may leave its Data out.
  const hasData = doc !== undefined && doc.data !== ANY;
  return {
    type: 'object',
    required: ['Code', ...(hasData ? ['Data'] : []), ...(doc?.hasTimeZone ? ['TimeZone'] : [])],
    properties: {
      Code: { type: 'integer' },
      Data: doc === undefined ? {} : jsonSchemaOf(doc.data),
      Msg: { type: ['string', 'null'] },
      DataCount: { type: 'integer' },
      ...(doc?.append === undefined ? {} : { DataAppend: jsonSchemaOf(doc.append) }),
      ...(doc?.hasTimeZone ? { TimeZone: { type: 'string' } } : {}),
    },
  };
}

/** Refusals by status, each with its codes and their sentences. */
function refusalsOf(route: ServedRoute, doc: RouteDoc | undefined, lang: Lang): JsonObject {
  const codes = new Set<ErrorCode>([
    ...(route.permission === PUBLIC ? [] : GUARD_ERRORS),
    ...(route.url.includes(':tenant') ? TENANT_ERRORS : []),
    ...(doc?.body !== undefined || route.method !== 'GET' ? BODY_ERRORS : []),
    ...(doc?.query === undefined ? [] : (['REQUEST_INVALID'] as const)),
    ...(doc?.errors ?? []),
    'INTERNAL',
  ]);
  const byStatus = Map.groupBy(codes, (code) => ERROR_TABLE[code].http);
  const ordered = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(ordered.map(([status, group]) => [String(status), refusal(group, lang)]));
}

function refusal(codes: readonly ErrorCode[], lang: Lang): JsonObject {
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Failure' }, { properties: { ReasonCode: { enum: [...codes] } } }],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TABLE[code][lang]}`).join('\n\n'),
    content: { 'application/json': { schema } },
  };
}

const FAILURE: JsonObject = {
  type: 'object',
  required: ['Code', 'Msg', 'ReasonCode'],
  properties: {
    Code: { const: 0 },
    Data: {},
    Msg: { type: 'string' },
    ReasonCode: { type: 'string' },
    DataAppend: { type: 'object' },
  },
};

function languageParameter(lang: Lang): JsonObject {
  return { name: '_Lang', in: 'query', schema: { type: 'string' }, description: WORDS.language[lang], example: lang };
}

/** `/tenants/:tenant` as OpenAPI writes it: `/tenants/{tenant}`. */
export function templatePath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}');
}

/** Such as `postTenantsTenantEnginesKeyRun`: one for each method and path. */
function operationId({ method, url }: ServedRoute): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
