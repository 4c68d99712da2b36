import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { listen } from '../../src/admin/listen.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { AppError } from '../../src/core/errors.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

function adminServer(t: TestContext) {
  const server = createAdminServer({
    services: new FakeServices(),
    identity: NO_IDENTITY,
    token: 't',
    lang: 'zh',
    timezone: 'Asia/Shanghai',
    log: new MemoryLog(),
  });
  t.after(() => server.close());
  return server;
}

/** Holds a free port, as another program would. */
async function takePort(t: TestContext): Promise<number> {
  const holder: Server = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  t.after(() => holder.close());
  return (holder.address() as AddressInfo).port;
}

describe('listening', () => {
  it('answers on the address it returns', async (t) => {
    const address = await listen(adminServer(t), { bind: '127.0.0.1', port: 0, portConfigured: true });
    assert.equal(address.moved, false);
    assert.equal(address.url, `http://127.0.0.1:${address.port}`);
    assert.equal((await fetch(`${address.url}/livez`)).status, 200);
  });

  it('moves on from a default port that is taken, and says so', async (t) => {
    const taken = await takePort(t);
    const address = await listen(adminServer(t), { bind: '127.0.0.1', port: taken, portConfigured: false });
    assert.equal(address.moved, true);
    assert.ok(address.port > taken && address.port <= taken + 20);
    assert.equal((await fetch(`${address.url}/livez`)).status, 200);
  });

  it('fails when a configured port is taken', async (t) => {
    const taken = await takePort(t);
    await assert.rejects(listen(adminServer(t), { bind: '127.0.0.1', port: taken, portConfigured: true }), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'PORT_TAKEN');
      assert.equal(error.params.port, taken);
      return true;
    });
  });

  it('fails with the reason when the address is not of this machine', async (t) => {
    await assert.rejects(listen(adminServer(t), { bind: '192.0.2.1', port: 0, portConfigured: false }), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'LISTEN_FAILED');
      assert.equal(error.params.reason, 'EADDRNOTAVAIL');
      return true;
    });
  });

  it('names loopback where it listens everywhere', async (t) => {
    const address = await listen(adminServer(t), { bind: '0.0.0.0', port: 0, portConfigured: true });
    assert.equal(address.url, `http://127.0.0.1:${address.port}`);
  });
});

describe('a body over the limit', () => {
  it('gets its answer over a real socket too', async (t) => {
    const { url } = await listen(adminServer(t), { bind: '127.0.0.1', port: 0, portConfigured: true });
    const response = await fetch(`${url}/api/v1/tenants`, {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: `"${'x'.repeat(18 * 1024 * 1024)}"`,
    });
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { ReasonCode: string }).ReasonCode, 'REQUEST_TOO_LARGE');
  });
});
