/** Several tenants on one host: apart from each other, and one that is broken leaves the others alone. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const HANDLER = `/** @queue work */
return V8.FormEngine.AddFormData('effect', { Tenant: V8.OsClient, Word: V8.Param.Message.Message.Word });
`;
const TABLES = JSON.stringify([
  {
    Name: 'effect',
    Fields: [
      { Name: 'Tenant', Type: 'varchar(50)' },
      { Name: 'Word', Type: 'varchar(50)' },
    ],
  },
]);

it('two tenants keep the same queue and the same EventId apart', async (t) => {
  const host = await startHost(t);
  const added = await host.cli('tenant', 'add', 'Acme-1');
  assert.deepEqual([added.code, added.err], [0, 'Tenant Acme-1 was created\n']);
  assert.equal((await host.cli('tenant', 'add', 'ACME-1')).code, 1);
  const words = { demo: 'ours', 'Acme-1': 'theirs' };
  for (const [tenant, word] of Object.entries(words)) {
    assert.equal((await host.cli('push', project(host), '--tenant', tenant)).code, 0);
    for (const _copy of [1, 2]) {
      const message = JSON.stringify({ Word: word });
      const { code } = await host.cli('send', 'work', message, '--event-id', 'same', '--tenant', tenant);
      assert.equal(code, 0);
    }
  }
  for (const [tenant, word] of Object.entries(words)) {
    await eventually(async () => {
      const { out } = await host.cli('trace', 'same', '--tenant', tenant);
      assert.match(out, / done /);
      assert.match(out, / duplicate /);
    });
    assert.deepEqual(effects(host, tenant), [[tenant, word]]);
  }
  const { out } = await host.cli('tenant', 'list');
  assert.deepEqual(out.split('\n').slice(1, 3), ['demo    *     open', 'Acme-1        open']);
});

it('a tenant whose file is no database is unavailable with the reason; the others work; repaired, it comes back', async (t) => {
  const host = await startHost(t);
  await host.cli('tenant', 'add', 'acme');
  for (const tenant of ['demo', 'acme']) await host.cli('push', project(host), '--tenant', tenant);
  await host.stop();
  const file = join(host.dataDir, 'tenants', 'acme.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  writeFileSync(file, 'these are the minutes of a meeting, and no database\n'.repeat(100));
  await host.start();

  const { code, out } = await host.cli('tenant', 'list');
  assert.equal(code, 0);
  assert.match(out, /^acme +unavailable +.*not a database/m);
  const refused = await host.cli('send', 'work', '{"Word":"lost?"}', '--tenant', 'acme');
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /The database of tenant acme cannot be opened: .*not a database.*\(TENANT_UNAVAILABLE\)/);
  await host.cli('send', 'work', '{"Word":"fine"}');
  await eventually(() => assert.deepEqual(effects(host, 'demo'), [['demo', 'fine']]));

  rmSync(file);
  await eventually(async () => assert.match((await host.cli('tenant', 'list')).out, /^acme +open$/m));
  assert.equal((await host.cli('push', project(host), '--tenant', 'acme')).code, 0);
  await host.cli('send', 'work', '{"Word":"back"}', '--tenant', 'acme');
  await eventually(() => assert.deepEqual(effects(host, 'acme'), [['acme', 'back']]));
});

async function startHost(t: TestContext): Promise<HostProcess> {
  const host = await HostProcess.create(tempDir(t), { reconcileSeconds: 1 });
  t.after(() => host.kill());
  await host.start();
  return host;
}

function project(host: HostProcess): string {
  const directory = join(host.dataDir, 'scripts');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'work.js'), HANDLER);
  writeFileSync(join(directory, 'tables.json'), TABLES);
  return directory;
}

function effects(host: HostProcess, tenant: string): unknown[][] {
  return host.sql(tenant.toLowerCase(), 'SELECT Tenant, Word FROM effect').map(({ Tenant, Word }) => [Tenant, Word]);
}
