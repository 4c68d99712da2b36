import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServerGuard } from '../../../src/adapters/http/server-guard.ts';
import { AppError } from '../../../src/core/errors.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'db.example.com': ['10.0.0.5', '93.184.216.34'],
  'inside.example.com': ['192.168.1.9'],
  'erp.local': ['192.168.1.7'],
};

const guard = createServerGuard({
  allow: [{ host: '127.0.0.1', port: 3306 }],
  tenants: new Map([['acme', { allow: [{ host: 'erp.local', port: 3307 }] }]]),
  resolve: async (name) => NAMES[name] ?? [],
});

const isDenied = (error: unknown) => error instanceof AppError && error.code === 'HTTP_TARGET_DENIED';

test('a public address is taken of a name, and none that is private, loopback or metadata', async () => {
  assert.equal(await guard.addressOf('other', 'db.example.com', 3306), '93.184.216.34');
  for (const host of ['inside.example.com', '127.0.0.2', '::1', '169.254.169.254', '10.1.2.3', '0.0.0.0', 'nowhere']) {
    await assert.rejects(guard.addressOf('other', host, 3306), isDenied, host);
  }
});

test('what the operator listed is open by name and port, to the tenants it was listed for', async () => {
  assert.equal(await guard.addressOf('other', '127.0.0.1', 3306), '127.0.0.1');
  await assert.rejects(guard.addressOf('other', '127.0.0.1', 3307), isDenied);
  assert.equal(await guard.addressOf('ACME', 'ERP.local.', 3307), '192.168.1.7');
  assert.deepEqual(
    [guard.isListed('Acme', 'erp.local', 3307), guard.isListed('Acme', 'erp.local', 3306)],
    [true, false],
  );
  assert.equal(guard.isListed('other', 'erp.local', 3307), false);
  await assert.rejects(guard.addressOf('other', 'erp.local', 3307), isDenied);
});
