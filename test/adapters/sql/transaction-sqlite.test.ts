import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { SqliteConnection } from '../../../src/adapters/sql/connection-sqlite.ts';
import type { SqliteDatabase } from '../../../src/adapters/sql/database-sqlite.ts';
import { AppError } from '../../../src/core/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { clock, openDatabase, outsideConnection, temporaryFolder } from './sqlite-place.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

async function openShop(t: TestContext): Promise<{ database: SqliteDatabase; path: string }> {
  const path = join(temporaryFolder(t), 'shop.db');
  const database = await openDatabase(t, path);
  await database.write((db) => sql`create table shop (Id text primary key, Qty int not null)`.execute(db));
  await database.write((db) => sql`insert into shop values ('a', 1)`.execute(db));
  return { database, path };
}

async function quantities(database: SqliteDatabase): Promise<string> {
  const { rows } = await sql<{ Id: string; Qty: number }>`select Id, Qty from shop order by Id`.execute(
    database.reader,
  );
  return rows.map(({ Id, Qty }) => `${Id}${Qty}`).join(' ');
}

describe('a lost transaction (F1, F2)', () => {
  it('dooms a run whose statement rolled everything back, so that nothing commits by itself', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await sql`update shop set Qty = 2`.execute(tx.script);
    await assert.rejects(sql`insert or rollback into shop values ('a', 5)`.execute(tx.script), hasCode('DB_TORN'));
    assert.equal(tx.doom, 'DB_TORN');
    await assert.rejects(sql`insert into shop values ('b', 5)`.execute(tx.script), hasCode('DB_TORN'));
    await assert.rejects(sql`insert into shop values ('b', 5)`.execute(tx.system), hasCode('DB_TORN'));
    await assert.rejects(tx.commit(), hasCode('DB_TORN'));
    await tx.rollback();
    assert.equal(await quantities(database), 'a1');
  });

  it('dooms a run whose transaction was committed half-way', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await sql`update shop set Qty = 2`.execute(tx.script);
    await assert.rejects(sql`commit`.execute(tx.system), hasCode('DB_TORN'));
    await assert.rejects(sql`update shop set Qty = 3`.execute(tx.script), hasCode('DB_TORN'));
    await tx.rollback();
    assert.equal(await quantities(database), 'a2');
  });

  it('dooms a run whose database has no room left, and stores nothing of it', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await sql`update shop set Qty = 2`.execute(tx.script);
    await sql`pragma max_page_count = 1`.execute(tx.system);
    const large = sql`insert into shop values (${'x'.repeat(1_000_000)}, 1)`;
    await assert.rejects(large.execute(tx.script), hasCode('DB_UNAVAILABLE'));
    await assert.rejects(sql`update shop set Qty = 3`.execute(tx.script), hasCode('DB_UNAVAILABLE'));
    await assert.rejects(tx.commit(), hasCode('DB_UNAVAILABLE'));
    assert.equal(await quantities(database), 'a1');
  });

  it('survives a failed statement that left the transaction open', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await assert.rejects(sql`insert into shop values ('a', 5)`.execute(tx.script), hasCode('ROW_NOT_UNIQUE'));
    await assert.rejects(sql`insert into shop values ('b', null)`.execute(tx.script), hasCode('DB_STATEMENT'));
    await sql`update shop set Qty = 2`.execute(tx.script);
    await tx.commit();
    assert.equal(await quantities(database), 'a2');
  });

  it('gives the writer to the next one after every end', async (t) => {
    const { database } = await openShop(t);
    const torn = await database.begin(100);
    await assert.rejects(sql`commit`.execute(torn.system));
    await assert.rejects(torn.commit(), hasCode('DB_TORN'));
    await (await database.begin(100)).rollback();
    await assert.rejects(
      database.write(() => Promise.reject(new Error('work failed'))),
      /work failed/,
    );
    await (await database.begin(100)).commit();
  });

  it('rolls the host’s own work back when a part of it fails', async (t) => {
    const { database } = await openShop(t);
    const work = database.write(async (db) => {
      await sql`update shop set Qty = 2`.execute(db);
      await sql`insert into shop values ('a', 1)`.execute(db);
    });
    await assert.rejects(work, hasCode('ROW_NOT_UNIQUE'));
    assert.equal(await quantities(database), 'a1');
  });
});

describe('a script’s statements', () => {
  const refused = [
    'commit',
    'rollback',
    'savepoint s',
    'pragma user_version = 1',
    "attach ':memory:' as other",
    'detach main',
    'create table x (a)',
    'drop table shop',
    'alter table shop add column b',
    'vacuum',
    'select * from mq_inbox',
    'select * from sys_osclients',
    'select name from sqlite_schema',
    'update mq_inbox set Status = 1',
    'delete from schema_migration',
    "insert into sys_apiengine (Id) values ('x')",
    'update shop set Qty = 9 where exists (select 1 from mq_parked)',
    "select load_extension('x')",
  ];
  for (const statement of refused) {
    it(`are refused and leave the transaction whole: ${statement}`, async (t) => {
      const { database } = await openShop(t);
      const tx = await database.begin(100);
      await sql`update shop set Qty = 2`.execute(tx.script);
      await assert.rejects(sql.raw(statement).execute(tx.script), hasCode('DB_STATEMENT'));
      assert.equal(tx.doom, undefined);
      await tx.commit();
      assert.equal(await quantities(database), 'a2');
    });
  }

  it('read what scripts may read', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await sql`with q as (select max(Qty) as m from shop) select upper(Id), m from shop, q`.execute(tx.script);
    await sql`select count(*) from sys_apiengine`.execute(tx.script);
    await tx.rollback();
  });

  it('stay refused after the host ran the same statement on the connection', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    await sql`select Status from mq_inbox`.execute(tx.system);
    await assert.rejects(sql`select Status from mq_inbox`.execute(tx.script), hasCode('DB_STATEMENT'));
    await tx.rollback();
  });
});

describe('another program that holds the file (F11)', () => {
  it('is waited for without blocking, and the write goes on when it lets go', async (t) => {
    const { database, path } = await openShop(t);
    using outside = outsideConnection(path);
    outside.exec('begin immediate');
    let ticks = 0;
    const ticker = setInterval(() => ticks++, 1);
    const waiting = database.write((db) => sql`update shop set Qty = 7`.execute(db), 5_000);
    await eventually(() => assert.ok(ticks >= 10, `the event loop ran ${ticks} times`));
    outside.exec('rollback');
    await waiting;
    clearInterval(ticker);
    assert.equal(await quantities(database), 'a7');
  });

  it('makes the probe answer that the store cannot commit', async (t) => {
    const { database, path } = await openShop(t);
    await database.probe();
    using outside = outsideConnection(path);
    outside.exec('begin immediate');
    await assert.rejects(database.probe(), hasCode('DB_UNAVAILABLE'));
  });
});

describe('durability', () => {
  it('is WAL with synchronous FULL on every writing connection', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(100);
    const settings = sql`select (select journal_mode from pragma_journal_mode) as mode, (select synchronous from pragma_synchronous) as sync`;
    assert.deepEqual((await settings.execute(tx.system)).rows, [{ mode: 'wal', sync: 2 }]);
    await tx.rollback();
    assert.deepEqual(await database.write(async (db) => (await settings.execute(db)).rows), [{ mode: 'wal', sync: 2 }]);
  });
});

describe('closing', () => {
  it('waits for the open transaction and refuses those who come later', async (t) => {
    const { database, path } = await openShop(t);
    const tx = await database.begin(100);
    await sql`update shop set Qty = 2`.execute(tx.script);
    const waiting = assert.rejects(database.begin(5_000), hasCode('DB_UNAVAILABLE'));
    const closing = database.close();
    await waiting;
    await tx.commit();
    await closing;
    await assert.rejects(database.begin(100), hasCode('DB_UNAVAILABLE'));
    using outside = outsideConnection(path);
    assert.equal(outside.prepare('select Qty from shop').get()?.Qty, 2);
  });
});

describe('what a commit waits for', () => {
  /** 2 is FULL, 1 NORMAL (sqlite.org/pragma.html#pragma_synchronous). */
  const synchronous = sql<{ synchronous: number }>`pragma synchronous`;

  it('is the disk, unless the transaction is relaxed', async (t) => {
    const path = join(temporaryFolder(t), 'relaxed.db');
    const connection = SqliteConnection.open(path, { readOnly: false, clock });
    t.after(() => connection.close());
    const database = await openDatabase(t, path);
    const query = synchronous.compile(database.reader);
    const seen = () => connection.execute(query, 'host').rows[0]?.synchronous;
    const states = [seen()];
    for (const durability of ['relaxed', 'full'] as const) {
      connection.setDurability(durability);
      states.push(seen());
    }
    assert.deepEqual(states, [2, 1, 2]);
  });

  it('is the disk again for a run that follows a relaxed write on its connection', async (t) => {
    const { database } = await openShop(t);
    await database.writeAsScript((db) => sql`update shop set Qty = 2`.execute(db), 'relaxed');
    const tx = await database.begin(100);
    assert.equal((await synchronous.execute(tx.system)).rows[0]?.synchronous, 2);
    await tx.rollback();
    assert.equal(await quantities(database), 'a2');
  });
});
