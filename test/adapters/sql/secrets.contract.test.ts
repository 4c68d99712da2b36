import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTenantDirectory } from '../../../src/adapters/sql/tenant-directory.ts';
import { createSecretBox, newSecretKey } from '../../../src/adapters/system/secret-box.ts';
import { describeSecrets } from '../../contract/secrets.contract.ts';
import { freshDatabase } from '../../support/services/fresh-database.ts';
import { emptySchema, outsideSession } from './mysql-place.ts';
import { clock, ids, outsideConnection, RecordingLog, temporaryFolder } from './sqlite-place.ts';

const POOLS = { runs: 1, scripts: 1, system: 2 };

describeSecrets('sqlite', async (t) => {
  const dataDir = temporaryFolder(t);
  return {
    async open(box) {
      const log = new RecordingLog();
      const directory = await createTenantDirectory({ dataDir, mainTenant: 'Demo', clock, ids, log, box });
      t.after(() => directory.close());
      return { directory, log };
    },
    async outside(statement) {
      using outside = outsideConnection(join(dataDir, 'tenants', 'demo.db'));
      return outside.prepare(statement).all();
    },
  };
});

describeSecrets('mariadb', async (t) => {
  const { url } = await emptySchema();
  const dataDir = temporaryFolder(t);
  const outside = await outsideSession(t, url);
  return {
    async open(box) {
      const log = new RecordingLog();
      const main = { kind: 'mysql', url: { reveal: () => url } } as const;
      const parts = { dataDir, mainTenant: 'Demo', main, clock, ids, log, pools: POOLS, box };
      const directory = await createTenantDirectory(parts);
      t.after(() => directory.close());
      return { directory, log };
    },
    async outside(statement) {
      if (/^select/.test(statement)) return outside.rows(statement);
      await outside.run(statement);
      return [];
    },
  };
});

test('a tenant whose connection cannot be opened is unavailable, alone, and no empty file takes its place', async (t) => {
  const dataDir = temporaryFolder(t);
  const other = await freshDatabase();
  const open = async (box = createSecretBox([newSecretKey()])) => {
    const directory = await createTenantDirectory({
      ...{ dataDir, mainTenant: 'Demo', clock, ids, log: new RecordingLog(), pools: POOLS, box },
    });
    t.after(() => directory.close());
    return directory;
  };
  const first = await open();
  await first.add('On-Server', other.url);
  await first.add('In-File', undefined);
  await first.close();
  const later = await open();
  const states = (await later.list()).map(({ tenant, state, reason = '' }) => [tenant, state, reason.slice(0, 30)]);
  assert.deepEqual(states, [
    ['Demo', 'open', ''],
    ['In-File', 'open', ''],
    ['On-Server', 'unavailable', 'DbConn of tenant On-Server is '],
  ]);
  assert.throws(() => later.get('on-server'), { code: 'TENANT_UNAVAILABLE' });
  assert.equal(existsSync(join(dataDir, 'tenants', 'on-server.db')), false);
});
