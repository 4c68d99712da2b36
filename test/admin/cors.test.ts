import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const ERP = 'https://erp.example.com';
const TOKEN = 'token-of-the-host';

const serverWith = (allowedOrigins: readonly string[]) =>
  createAdminServer({
    services: new FakeServices(),
    identity: NO_IDENTITY,
    token: TOKEN,
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: new MemoryLog(),
    allowedOrigins,
  });

const PREFLIGHT = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

describe('pages of other origins', () => {
  for (const [name, allowed, origin] of [
    ['when none is allowed', [], ERP],
    ['when another one is allowed', [ERP], 'https://erp.example.com.evil.test'],
    ['of another scheme', [ERP], 'http://erp.example.com'],
    ['of no origin', [ERP], 'null'],
  ] as const) {
    it(`are kept out: ${name}`, async () => {
      const server = serverWith(allowed);
      for (const url of ['/api/v1/tenants', '/apiengine/a', '/livez']) {
        const preflight = await server.inject({ method: 'OPTIONS', url, headers: { origin, ...PREFLIGHT } });
        assert.notEqual(preflight.statusCode, 204);
        const answer = await server.inject({ url, headers: { origin, authorization: `Bearer ${TOKEN}` } });
        for (const { headers } of [preflight, answer]) {
          assert.deepEqual(
            Object.keys(headers).filter((header) => header.startsWith('access-control-')),
            [],
          );
        }
      }
    });
  }

  it('are let in by name, with a token and never with a cookie', async () => {
    const server = serverWith([ERP, 'http://localhost:5173']);
    for (const origin of [ERP, 'http://localhost:5173']) {
      const preflight = await server.inject({
        method: 'OPTIONS',
        url: '/api/v1/tenants',
        headers: { origin, ...PREFLIGHT },
      });
      assert.equal(preflight.statusCode, 204);
      assert.match(String(preflight.headers['access-control-allow-methods']), /PUT/);
      assert.match(String(preflight.headers['access-control-allow-headers']), /authorization/);
      const answer = await server.inject({
        url: '/api/v1/tenants',
        headers: { origin, authorization: `Bearer ${TOKEN}` },
      });
      const refused = await server.inject({ url: '/api/v1/tenants', headers: { origin } });
      assert.deepEqual([answer.statusCode, refused.statusCode], [200, 401], 'a page reads why it was refused, too');
      for (const { headers } of [preflight, answer, refused]) {
        assert.equal(headers['access-control-allow-origin'], origin);
        assert.equal(headers['access-control-allow-credentials'], undefined);
        assert.equal(headers.vary, 'Origin');
      }
    }
  });
});
