import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ROUTE_DOCS } from '../../src/admin/openapi/route-docs.ts';
import { ROUTE_PERMISSIONS } from '../../src/admin/route-permissions.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { name?: string; in?: string }[];
  readonly requestBody?: { content: { 'application/json': { schema: { properties: Record<string, unknown> } } } };
  readonly responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

const server = createAdminServer({
  services: new FakeServices(),
  identity: NO_IDENTITY,
  token: 'token-of-the-test',
  lang: 'zh',
  timezone: 'Asia/Shanghai',
  log: new MemoryLog(),
});
after(() => server.close());

const read = async (lang: string): Promise<Document> =>
  (await server.inject(`/api/v1/openapi.json?_Lang=${lang}`)).json();

const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation,
    ]),
  );

describe('the description of the API', () => {
  for (const lang of ['zh', 'en']) {
    it(`is a valid OpenAPI 3.1 document: ${lang}`, async () => {
      const document = await read(lang);
      assert.equal(document.openapi, '3.1.0');
      const validator = new Validator();
      const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
      assert.deepEqual(result, { valid: true });
      assert.equal(validator.version, '3.1');
      assert.doesNotThrow(() => validator.resolveRefs());
    });
  }

  it('has every route that is served, and none that is not', async () => {
    await server.ready();
    const described = operationsOf(await read('en')).map(([route]) => route);
    assert.deepEqual([...described].sort(), [...ROUTE_PERMISSIONS.keys()].sort());
    for (const route of described) {
      const [method = '', path = ''] = route.split(' ');
      assert.ok(server.hasRoute({ method: method as 'GET', url: `/api/v1${path}` }), route);
    }
    const ids = operationsOf(await read('en')).map(([, { operationId }]) => operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('has words of its own for every route', () => {
    const missing = [...ROUTE_PERMISSIONS.keys()].filter((route) => ROUTE_DOCS[route] === undefined);
    assert.deepEqual(missing, [], 'add a row to admin/openapi/docs');
  });

  it('describes no route that is gone, and asks in its example for every part of the path', () => {
    for (const [route, { example }] of Object.entries(ROUTE_DOCS)) {
      assert.ok(ROUTE_PERMISSIONS.has(route), route);
      const parts = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      assert.deepEqual(Object.keys(example.path ?? {}).sort(), parts.sort(), route);
    }
  });

  it('tells of each route its permission, its input and its refusals', async () => {
    const operations = new Map(operationsOf(await read('en')));
    const bind = operations.get('POST /tenants/:tenant/bindings');
    assert.match(bind?.description ?? '', /binding\.change: admin, developer, designer\./);
    const body = bind?.requestBody?.content['application/json'].schema;
    assert.deepEqual(Object.keys(body?.properties ?? {}).slice(0, 3), ['queue', 'engineKey', 'enabled']);
    assert.match(bind?.responses[409]?.description ?? '', /`BINDING_EXISTS`: /);
    assert.match(bind?.responses[401]?.description ?? '', /`UNAUTHORIZED`: /);
    const dead = operations.get('GET /tenants/:tenant/dead-letters');
    const names = dead?.parameters.flatMap((each) => (each.in === 'query' ? [each.name] : []));
    assert.deepEqual(names, ['queue', 'eventId', 'reason', 'group', 'engineKey', 'state', 'limit', 'after']);
    const login = operations.get('POST /login');
    assert.deepEqual(login?.security, []);
    assert.equal(login?.responses[401]?.description.includes('TOKEN_EXPIRED'), false);
  });

  it('speaks the language that was asked for', async () => {
    const summary = async (lang: string) => (await read(lang)).paths['/tenants']?.get?.summary;
    assert.equal(await summary('en'), 'Lists the tenants, the main one first.');
    assert.equal(await summary('zh'), '列出租户，主租户在前。');
  });
});

describe('its page', () => {
  it('shows every route, loads nothing and runs nothing', async () => {
    const { statusCode, headers, body } = await server.inject('/api/v1/docs?_Lang=en');
    assert.equal(statusCode, 200);
    assert.match(String(headers['content-type']), /^text\/html/);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+';/);
    assert.doesNotMatch(policy, /script-src|unsafe/);
    assert.doesNotMatch(body, /<script|src=|href="https?:|url\(/);
    for (const route of ROUTE_PERMISSIONS.keys()) {
      const [method, path = ''] = route.split(' ');
      const shown = `<span class="method">${method}</span>\n<code>/api/v1${path.replace(/:(\w+)/g, '{$1}')}</code>`;
      assert.ok(body.includes(shown), route);
    }
    assert.match(body, /curl -X POST &quot;\$V8HOST_URL\/api\/v1\/tenants\/demo\/queues\/greetings\/messages&quot;/);
  });
});
