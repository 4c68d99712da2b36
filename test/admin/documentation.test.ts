import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

describe('the pages on the admin API', () => {
  for (const page of ['api.md', 'api.zh-CN.md']) {
    it(`name every route, and none that is not there: ${page}`, async () => {
      const server = createAdminServer({
        services: new FakeServices(),
        identity: NO_IDENTITY,
        token: 't',
        lang: 'zh',
        timezone: 'Asia/Shanghai',
        log: new MemoryLog(),
      });
      const served: string[] = [];
      await server.ready();
      const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
      for (const [, method = '', path = ''] of text.matchAll(/^\| `(GET|POST|PUT|PATCH|DELETE) (\/[^`?]*)/gm)) {
        const url = path
          .replace('{t}', ':tenant')
          .replace('{queue}', ':queue')
          .replace(/\{(\w+)\}/g, ':$1');
        assert.ok(server.hasRoute({ method: method as 'GET', url }), `${method} ${url}`);
        served.push(`${method} ${url}`);
      }
      const routes = server.printRoutes({ commonPrefix: false }).match(/\((?:GET|POST|PUT|PATCH|DELETE)[^)]*\)/g) ?? [];
      const methods = routes.flatMap((methodsOfRoute) => methodsOfRoute.match(/GET|POST|PUT|PATCH|DELETE/g) ?? []);
      assert.equal(served.length, methods.length);
    });
  }
});
