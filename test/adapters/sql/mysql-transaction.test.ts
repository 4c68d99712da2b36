import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { coerceError } from '../../../src/core/errors.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { outsideSession } from './mysql-place.ts';
import { claimOf, hasCode, openShop, packetOf, read, sessionId, set, WAIT_MS } from './mysql-shop.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => coerceError(error).code,
  );

/** A killed session's statement ends by the server's last word or by the cut socket, whichever comes first. */
const ENDED = /^DB_(TX_LOST|UNAVAILABLE)$/;

describe('a transaction that the server ended under the script (F1)', () => {
  it('commits nothing after a deadlock that the script swallowed', async (t) => {
    const { store, schema, quantities } = await openShop(t);
    // The server rolls back the transaction with fewer changes: the other one is made the heavier.
    const rows = Array.from({ length: 50 }, (_, i) => `('x${i}', 1)`).join(', ');
    await sqlAsAdmin(schema.adminUrl, `insert into ${schema.name}.shop values ${rows}`);
    const [victim, heavy] = [await store.begin(WAIT_MS), await store.begin(WAIT_MS)];
    await victim.claim(claimOf('e1'));
    await heavy.claim(claimOf('e2'));
    for (let i = 0; i < 50; i++) await set(heavy, `x${i}`, 2);
    await set(victim, 'a', 9);
    await set(heavy, 'b', 9);
    const [first, second] = await Promise.all([codeOf(set(victim, 'b', 8)), codeOf(set(heavy, 'a', 8))]);
    assert.deepEqual([first, second], ['DB_TX_LOST', 'ok']);
    assert.equal(victim.doom, 'DB_TX_LOST');
    assert.equal(await codeOf(set(victim, 'c', 0)), 'DB_TX_LOST', 'the next statement would have committed by itself');
    assert.equal(await codeOf(read(victim, 'c')), 'DB_TX_LOST');
    await assert.rejects(victim.commit(packetOf('e1')), hasCode('DB_TX_LOST'));
    await heavy.commit(packetOf('e2'));
    assert.match(await quantities(), /^a8 b9 c10 /);
    assert.equal(await store.findInbox(claimOf('e1')), undefined);
    assert.equal((await store.findInbox(claimOf('e2')))?.status, 'done');
  });

  it('commits nothing after a lock wait that ran out', async (t) => {
    const { store, schema, quantities } = await openShop(t);
    const outside = await outsideSession(t, schema.url);
    await outside.run("start transaction; update shop set Qty = 1 where Id = 'b'");
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    await set(tx, 'a', 9);
    const before = performance.now();
    assert.equal(await codeOf(set(tx, 'b', 9)), 'DB_BUSY');
    const waited = performance.now() - before;
    assert.ok(waited > 2_000 && waited < 20_000, `it waited ${waited} ms`);
    assert.equal(tx.doom, 'DB_BUSY');
    assert.equal(await codeOf(set(tx, 'c', 9)), 'DB_BUSY');
    await assert.rejects(tx.commit(packetOf('e1')), hasCode('DB_BUSY'));
    await outside.run('rollback');
    assert.equal(await quantities(), 'a10 b10 c10');
    assert.equal(await store.findInbox(claimOf('e1')), undefined);
  });

  it('commits nothing after its session was killed, and never sends a later statement on another one', async (t) => {
    const { database, schema, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
    await sqlAsAdmin(schema.adminUrl, `kill ${await sessionId(tx)}`);
    assert.equal(await codeOf(sql`update shop set Qty = 9 where Id = 'b'`.execute(tx.script)), 'DB_UNAVAILABLE');
    assert.equal(tx.doom, 'DB_UNAVAILABLE');
    await assert.rejects(tx.commit(), hasCode('DB_UNAVAILABLE'));
    assert.equal(await quantities(), 'a10 b10 c10');
  });

  it('is doomed by a statement that was killed', async (t) => {
    const { database, schema, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
    const slow = codeOf(sql`select sleep(20) from shop`.execute(tx.script));
    const find = `select id from information_schema.processlist where info like 'select sleep(20)%'`;
    let running = await sqlAsAdmin(schema.adminUrl, find);
    while (running.length === 0) running = await sqlAsAdmin(schema.adminUrl, find);
    await sqlAsAdmin(schema.adminUrl, `kill query ${running[0]?.id}`);
    assert.equal(await slow, 'DB_TX_LOST');
    await assert.rejects(tx.commit(), hasCode('DB_TX_LOST'));
    assert.equal(await quantities(), 'a10 b10 c10');
  });

  it('goes on after a failure that left it whole', async (t) => {
    const { database, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
    assert.equal(await codeOf(sql`insert into shop values ('a', 1)`.execute(tx.script)), 'ROW_NOT_UNIQUE');
    assert.equal(await codeOf(sql`insert into shop values ('d', 'text')`.execute(tx.script)), 'DB_STATEMENT');
    assert.equal(await codeOf(sql`select nonsense from shop`.execute(tx.script)), 'DB_STATEMENT');
    assert.equal(tx.doom, undefined);
    await tx.commit();
    assert.equal(await quantities(), 'a9 b10 c10');
  });

  it('loses no value of a row to an error message', async (t) => {
    const { database } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    for (const statement of [
      sql`insert into shop values ('a', ${'topsecret'})`,
      sql`insert into shop values (${'topsecret'.repeat(20)}, 1)`,
      sql`update shop set Qty = ${'topsecret'}`,
    ]) {
      await assert.rejects(statement.execute(tx.script), (error: unknown) => {
        const failure = coerceError(error);
        assert.doesNotMatch(`${failure.message} ${JSON.stringify(failure.params)} ${failure.cause}`, /topsecret/);
        assert.doesNotMatch(JSON.stringify(failure.cause), /topsecret/);
        return true;
      });
    }
    await tx.rollback();
  });
});

describe('a statement that commits (F2)', () => {
  const refused = [
    'commit',
    'ROLLBACK',
    ' \n commit',
    '/* harmless */ commit',
    '-- harmless\ncommit',
    '# harmless\ncommit',
    '/*!50000 commit */',
    'select 1 /*!50000 into outfile "/tmp/x" */',
    '/*M! commit */',
    'begin',
    'start transaction',
    'savepoint s',
    'set autocommit = 1',
    'create table x (a int)',
    'drop table shop',
    'alter table shop add column b int',
    'truncate table shop',
    'rename table shop to other',
    'lock tables shop write',
    'analyze table shop',
    'flush tables',
    'grant select on *.* to nobody',
    'call p()',
    'do 1',
    'load data infile "x" into table shop',
    'handler shop open',
    'xa start "x"',
    'select 1; commit',
    'update shop set Qty = 0; commit',
  ];
  it('never reaches the server from a script, and the transaction stays whole', async (t) => {
    const { database, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
    for (const statement of refused) {
      assert.equal(await codeOf(sql.raw(statement).execute(tx.script)), 'DB_STATEMENT', statement);
      assert.equal(tx.doom, undefined, statement);
      assert.equal(await codeOf(sql.raw(statement).execute(database.scriptReader)), 'DB_STATEMENT', statement);
    }
    await tx.rollback();
    assert.equal(await quantities(), 'a10 b10 c10');
  });

  it('reads and writes rows as a script may', async (t) => {
    const { database, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`with q as (select max(Qty) as m from shop) select upper(Id), m from shop, q`.execute(tx.script);
    await sql`(select 1) union (select 2)`.execute(tx.script);
    await sql`replace into shop values ('a', 3)`.execute(tx.script);
    await sql`/* a comment */ delete from shop where Id = 'c'`.execute(tx.script);
    await tx.commit();
    assert.equal(await quantities(), 'a3 b10');
  });

  it('is seen by its answer when the host itself sends one, and what follows is refused', async (t) => {
    for (const statement of ['commit', 'rollback', 'create table torn (a int)']) {
      const { database, quantities } = await openShop(t);
      const tx = await database.begin(WAIT_MS);
      await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
      assert.equal(await codeOf(sql.raw(statement).execute(tx.system)), 'DB_TORN', statement);
      assert.equal(tx.doom, 'DB_TORN');
      assert.equal(await codeOf(sql`update shop set Qty = 9 where Id = 'b'`.execute(tx.script)), 'DB_TORN');
      await assert.rejects(tx.commit(), hasCode('DB_TORN'));
      assert.match(await quantities(), /^a(9|10) b10 c10$/);
    }
  });

  it('leaves a claim that is not done, which is never taken for a finished event', async (t) => {
    const { database, store } = await openShop(t);
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    // The half that an implicit commit would leave, made by the session itself.
    await sqlAsRun(database, 'e2');
    await tx.rollback();
    assert.equal((await store.findInbox(claimOf('e2')))?.status, 'run');
    const copy = await store.begin(WAIT_MS);
    assert.equal(await copy.claim(claimOf('e2')), 'duplicate');
    await copy.rollback();
  });
});

/** Claims an event and ends the transaction by a statement that commits. */
async function sqlAsRun(database: Awaited<ReturnType<typeof openShop>>['database'], eventId: string): Promise<void> {
  const session = await database.begin(WAIT_MS);
  const { queue, messageHash } = claimOf(eventId);
  await sql`insert into mq_inbox (TenantLower, QueueName, EventId, Status, MessageHash, Attempt, EngineKey, Version, RunId)
    values ('tenant_a', ${queue}, ${eventId}, 'run', ${messageHash}, 1, 'k', 'v', 'R')`.execute(session.system);
  assert.equal(await codeOf(sql`create table if not exists torn_by (a int)`.execute(session.system)), 'DB_TORN');
  await session.rollback();
}

describe('two runs that change one row (F15)', () => {
  it('lose no update when the second one asks for what it has read', async (t) => {
    const { store, quantities } = await openShop(t);
    const [one, other] = [await store.begin(WAIT_MS), await store.begin(WAIT_MS)];
    assert.deepEqual([await read(one, 'a'), await read(other, 'a')], [10, 10]);
    const take = (tx: typeof one) =>
      tx.tables.update(
        {
          table: 'shop',
          where: [
            { glue: 'and', column: 'Id', operator: 'eq', value: 'a' },
            { glue: 'and', column: 'Qty', operator: 'eq', value: 10 },
          ],
          includeDeleted: false,
        },
        { Qty: 9 },
      );
    assert.equal(await take(one), 1);
    const second = take(other);
    await one.commit(packetOf());
    assert.equal(await second, 0, 'the row is judged as it is when its lock is granted');
    assert.equal(await read(other, 'a'), 9);
    await other.rollback();
    assert.equal(await quantities(), 'a9 b10 c10');
  });

  it('are ended by the server under snapshot isolation, as a deadlock would', async (t) => {
    const { database, schema, quantities } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`set session transaction isolation level repeatable read`.execute(tx.system);
    await sql`set session innodb_snapshot_isolation = on`.execute(tx.system);
    await sql`update shop set Qty = 8 where Id = 'b'`.execute(tx.script);
    await sql`select * from shop where Id = 'a'`.execute(tx.script);
    await sqlAsAdmin(schema.adminUrl, `update ${schema.name}.shop set Qty = 9 where Id = 'a'`);
    assert.equal(await codeOf(sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script)), 'DB_TX_LOST');
    assert.equal(tx.doom, 'DB_TX_LOST');
    await tx.abort();
    assert.equal(await quantities(), 'a9 b10 c10');
  });
});

describe('a connection of the pool', () => {
  it('comes back clean after every kind of end', async (t) => {
    const { database, quantities } = await openShop(t);
    const touch = (session: Awaited<ReturnType<typeof database.begin>>) =>
      sql`update shop set Qty = 0 where Id = 'a'`.execute(session.script);
    for (const end of ['rollback', 'abort', 'rollback under a statement', 'failed commit'] as const) {
      const tx = await database.begin(WAIT_MS);
      await touch(tx);
      if (end === 'abort') await tx.abort();
      else if (end === 'rollback') await tx.rollback();
      else if (end === 'failed commit') {
        const query = tx.system.updateTable('mq_inbox').set({ Status: 'done' }).where('EventId', '=', 'nobody');
        await assert.rejects(tx.commit([{ query, matches: 1 }]), hasCode('DB_TORN'));
      } else {
        const slow = codeOf(sql`select sleep(30)`.execute(tx.script));
        await tx.rollback();
        assert.match(await slow, ENDED);
      }
      for (let i = 0; i < 4; i++) {
        const next = await database.begin(WAIT_MS);
        const state = sql<{ isolation: string; auto: number; wait: number; held: number }>`
          select @@tx_isolation as isolation, @@autocommit as auto, @@innodb_lock_wait_timeout as wait,
            @@in_transaction as held`;
        const [row] = (await state.execute(next.system)).rows;
        assert.deepEqual(row, { isolation: 'READ-COMMITTED', auto: 0, wait: 3, held: 0 }, end);
        await next.rollback();
      }
      assert.equal(await quantities(), 'a10 b10 c10', end);
    }
  });

  it('frees its locks at once when a run is ended under a statement', async (t) => {
    const { database, schema } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 0 where Id = 'a'`.execute(tx.script);
    const slow = codeOf(sql`select sleep(30) from shop`.execute(tx.script));
    const before = performance.now();
    await tx.abort();
    await sqlAsAdmin(schema.adminUrl, `update ${schema.name}.shop set Qty = 5 where Id = 'a'`);
    assert.ok(performance.now() - before < 15_000, `${performance.now() - before} ms`);
    assert.match(await slow, ENDED);
    assert.equal(await codeOf(sql`select 1`.execute(tx.script)), 'DB_TX_LOST');
  });

  it('lets who waits have one when it is given back, in line, and says busy to who waited too long', async (t) => {
    const { database } = await openShop(t);
    const held = await Promise.all(Array.from({ length: 4 }, () => database.begin(WAIT_MS)));
    const order: string[] = [];
    const first = database.begin(5_000).then((tx) => {
      order.push('first');
      return tx;
    });
    await assert.rejects(database.begin(20), hasCode('DB_BUSY'));
    const second = database.begin(5_000).then((tx) => {
      order.push('second');
      return tx;
    });
    await held[0]?.abort();
    const one = await first;
    await held[1]?.commit();
    const other = await second;
    assert.deepEqual(order, ['first', 'second']);
    for (const tx of [one, other, held[2], held[3]]) await tx?.rollback();
  });

  it('leaves the host its own connections while every run waits for a lock', async (t) => {
    const { database, store, schema } = await openShop(t);
    const outside = await outsideSession(t, schema.url);
    await outside.run("start transaction; update shop set Qty = 1 where Id = 'a'");
    const runs = await Promise.all(Array.from({ length: 4 }, () => store.begin(WAIT_MS)));
    const blocked = runs.map((tx) => codeOf(set(tx, 'a', 9)));
    const scripts = [1, 2].map(() =>
      codeOf(store.tables.update({ table: 'shop', where: [], includeDeleted: false }, { Qty: 3 })),
    );
    let waited = 0;
    for (const end of blocked) void end.then(() => (waited += 1));
    await database.probe();
    assert.equal(await store.crashes.count(claimOf('e1')), 1);
    assert.equal(waited, 0, 'the runs wait on');
    assert.deepEqual(await Promise.all(blocked), Array(4).fill('DB_BUSY'));
    await outside.run('rollback');
    for (const tx of runs) await tx.rollback();
    await Promise.all(scripts);
  });
});
