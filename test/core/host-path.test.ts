import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAdminServer } from '../../src/admin/server.ts';
import { readAddress } from '../../src/core/header-entry.ts';
import { FakeServices, MemoryLog } from '../admin/fake-services.ts';
import { NO_IDENTITY } from '../admin/no-identity.ts';

const isRefused = (path: string): boolean => 'rule' in readAddress(path);

it('an engine cannot have an address that the host answers itself, whatever routes the host has', async () => {
  const log = new MemoryLog();
  const metrics = { contentType: 'text/plain', render: async () => '' };
  const parts = { services: new FakeServices(), identity: NO_IDENTITY, metrics, log };
  const server = createAdminServer({ ...parts, token: 'x', lang: 'en', timezone: 'UTC' });
  await server.ready();
  const routes = server.printRoutes({ commonPrefix: false }).matchAll(/^ {4}[├└]── (\w\S*)/gm);
  const paths = [...routes].map(([, path]) => `/${path}`);
  await server.close();
  assert.ok(paths.includes('/setup') && paths.includes('/api/v1/login'), paths.join(' '));
  const others = ['/assets/a.js', '/API/MQ/SendMsg', '/apiengine/platform-mq', '/api/ApiEngine/Run'];
  const forms = ['/api/formengine/GetFormData', '/api/formengine/getformdata-shop', '/orders--OsClient--demo--'];
  assert.deepEqual(
    [...paths, ...others, ...forms].filter((path) => !isRefused(path)),
    [],
  );
  const free = ['/erp/orders', '/api/FormEngine/copy-table', '/setup-guide', '/apiengine/old-name'];
  assert.deepEqual(free.filter(isRefused), []);
  assert.ok(isRefused('/a%20b'), 'requests are decoded first, so this one would never be found');
});
