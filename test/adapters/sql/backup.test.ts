/** Copies of a data directory while it is written, and their way back. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createBackup } from '../../../src/adapters/sql/backup-files.ts';
import { restoreFiles } from '../../../src/adapters/sql/restore-files.ts';
import { refuseUnfinishedRestore } from '../../../src/adapters/sql/restore-mark.ts';
import { copySnapshots } from '../../../src/adapters/sql/snapshot-sqlite.ts';
import type { Backup } from '../../../src/ports/backup.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW = Date.UTC(2026, 2, 4, 5, 6, 7, 89);

it('copies of two files are of one instant, however much is written while they are made', async (t) => {
  const dir = tempDir(t);
  const [first, second] = ['a', 'b'].map((name) => database(t, join(dir, `${name}.db`), 20_000));
  assert.ok(first !== undefined && second !== undefined);
  let written = 0;
  let isCopying = true;
  const writing = (async () => {
    for (; isCopying; written++) {
      for (const db of [first, second]) {
        db.prepare("INSERT INTO filler VALUES ('later', 'x')").run();
        await turn();
      }
    }
  })();
  await turn();
  await copySnapshots(['a', 'b'].map((name) => [join(dir, `${name}.db`), join(dir, `${name}-copy.db`)] as const));
  isCopying = false;
  await writing;
  const [a, b] = ['a', 'b'].map((name) => later(join(dir, `${name}-copy.db`)));
  assert.ok(a !== undefined && b !== undefined);
  assert.ok(a - b === 0 || a - b === 1, `${a} rows in the first copy, ${b} in the second`);
  assert.ok(written > a + 5, `only ${written} rows were written, ${a} before the copy began`);
});

it('a backup holds databases and secrets, is its owner’s only, and brings them back', async (t) => {
  const { backup, dataDir } = dataDirectory(t);
  const report = await backup.create(undefined);
  assert.equal(report.dir, join(dataDir, 'backups', '2026-03-04T05-06-07-089Z'));
  const paths = report.files.map(({ path }) => path);
  assert.deepEqual(paths, ['host.db', 'tenants/demo.db', 'admin.token']);
  assert.deepEqual(report.elsewhere, ['tenant acme', 'RabbitMQ']);
  for (const path of [...paths, 'backup.json'])
    assert.equal(statSync(join(report.dir, path)).mode & 0o777, 0o600, path);
  assert.equal(statSync(report.dir).mode & 0o777, 0o700);

  const target = tempDir(t);
  const restored = await restoreFiles({ from: report.dir, dataDir: target, replace: false, now: NOW });
  assert.deepEqual([restored.manifest.version, restored.aside], ['1.2.3', undefined]);
  assert.equal(readFileSync(join(target, 'admin.token'), 'utf8'), 'secret');
  assert.equal(rowsOf(join(target, 'tenants/demo.db')), 10);
  // Nothing was left beside the backup's files.
  assert.equal(existsSync(join(report.dir, 'host.db-shm')), false);
});

it('a restore over data is refused, and puts it aside when told to', async (t) => {
  const { backup, dataDir, demo } = dataDirectory(t);
  const { dir } = await backup.create(join(dataDir, '../copy'));
  demo.prepare("INSERT INTO filler VALUES ('later', 'x')").run();
  demo.close();
  const request = { from: dir, dataDir, now: NOW };
  await assert.rejects(restoreFiles({ ...request, replace: false }), { code: 'RESTORE_TARGET_USED' });
  assert.equal(rowsOf(join(dataDir, 'tenants/demo.db')), 11);
  const { aside } = await restoreFiles({ ...request, replace: true });
  assert.equal(rowsOf(join(dataDir, 'tenants/demo.db')), 10);
  assert.equal(rowsOf(join(aside ?? '', 'tenants/demo.db')), 11);
});

it('a backup does not overwrite anything, and a failed one leaves nothing', async (t) => {
  const { backup, dataDir } = dataDirectory(t);
  const dir = join(dataDir, '../copy');
  await backup.create(dir);
  await assert.rejects(backup.create(dir), { code: 'BACKUP_TARGET_EXISTS' });
  writeFileSync(join(dataDir, 'tenants/broken.db'), 'these are the minutes of a meeting'.repeat(100));
  await assert.rejects(backup.create(`${dir}-2`), { code: 'BACKUP_FAILED' });
  assert.deepEqual([existsSync(`${dir}-2`), existsSync(join(dataDir, '../.copy-2.unfinished'))], [false, false]);
  await assert.rejects(backup.create('/proc/nowhere/copy'), { code: 'BACKUP_FAILED' });
});

it('no host starts on what a restore left that was cut short, until it is made again', async (t) => {
  const { backup, dataDir } = dataDirectory(t);
  const { dir } = await backup.create(join(dataDir, '../copy'));
  const target = tempDir(t);
  // The second database has no place to go to.
  writeFileSync(join(target, 'tenants'), '');
  const request = { from: dir, dataDir: target, now: NOW };
  await assert.rejects(restoreFiles({ ...request, replace: false }), { code: 'BACKUP_FAILED' });
  assert.equal(existsSync(join(target, 'host.db')), true);
  assert.throws(() => refuseUnfinishedRestore(target), { code: 'DATA_DIR_UNUSABLE' });
  rmSync(join(target, 'tenants'));
  await restoreFiles({ ...request, replace: true });
  refuseUnfinishedRestore(target);
  assert.equal(rowsOf(join(target, 'tenants/demo.db')), 10);
});

it('of two backups at once to one place the first is whole and the second refused', async (t) => {
  const { backup, dataDir } = dataDirectory(t);
  const dir = join(dataDir, '../copy');
  const [first, second] = await Promise.allSettled([backup.create(dir), backup.create(dir)]);
  assert.equal(first.status, 'fulfilled', String((first as PromiseRejectedResult).reason));
  assert.equal((second as PromiseRejectedResult).reason?.code, 'BACKUP_TARGET_EXISTS');
  await restoreFiles({ from: dir, dataDir: tempDir(t), replace: false, now: NOW });
});

for (const [what, damage, expected] of [
  [
    'whose file was changed',
    (dir: string) => writeFileSync(join(dir, 'admin.token'), 'SECRET'),
    /admin\.token.*changed/,
  ],
  ['whose file is shorter', (dir: string) => writeFileSync(join(dir, 'host.db'), ''), /host\.db.*0 bytes instead of/],
  ['without its manifest', (dir: string) => writeFileSync(join(dir, 'backup.json'), '{'), /backup\.json/],
  [
    'of another format',
    (dir: string) => writeFileSync(join(dir, 'backup.json'), '{"format":"x","files":[]}'),
    /format/,
  ],
  ['that names a file outside', (dir: string) => editPath(dir, '../../evil'), /evil/],
  ['that names an absolute file', (dir: string) => editPath(dir, '/etc/evil'), /evil/],
] as const) {
  it(`a backup ${what} is refused before anything is touched`, async (t) => {
    const { backup, dataDir } = dataDirectory(t);
    const { dir } = await backup.create(join(dataDir, '../copy'));
    damage(dir);
    const target = tempDir(t);
    const request = { from: dir, dataDir: target, replace: true, now: NOW };
    const refusal: { code: string; params: { file: string; reason: string } } = await restoreFiles(request).then(
      () => assert.fail('restored'),
      (error) => error,
    );
    assert.equal(refusal.code, 'BACKUP_INVALID');
    assert.match(`${refusal.params.file}: ${refusal.params.reason}`, expected);
    assert.equal(existsSync(join(target, 'host.db')), false);
  });
}

function dataDirectory(t: TestContext): { backup: Backup; dataDir: string; demo: DatabaseSync } {
  const dataDir = join(tempDir(t), 'data');
  mkdirSync(join(dataDir, 'tenants'), { recursive: true });
  database(t, join(dataDir, 'host.db'), 10);
  const demo = database(t, join(dataDir, 'tenants/demo.db'), 10);
  for (const name of ['host.lock', 'host.lock.pid', 'host.json', 'v8host.config.json'])
    writeFileSync(join(dataDir, name), '');
  writeFileSync(join(dataDir, 'admin.token'), 'secret', { mode: 0o644 });
  const elsewhere = async () => ['tenant acme', 'RabbitMQ'];
  return { backup: createBackup({ dataDir, version: '1.2.3', now: () => NOW, elsewhere }), dataDir, demo };
}

function database(t: TestContext, path: string, rows: number): DatabaseSync {
  const db = new DatabaseSync(path);
  t.after(() => db.isOpen && db.close());
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE filler (Kind TEXT, Text TEXT)');
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO filler SELECT 'first', hex(zeroblob(50)) FROM n`);
  return db;
}

function rowsOf(path: string, where = ''): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const count = db.prepare(`SELECT count(*) AS n FROM filler ${where}`).get()?.n;
  db.close();
  return Number(count);
}

function later(path: string): number {
  return rowsOf(path, "WHERE Kind = 'later'");
}

function editPath(dir: string, path: string): void {
  const file = join(dir, 'backup.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.files[0].path = path;
  writeFileSync(file, JSON.stringify(manifest));
}
