import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqlJournal } from '../../../src/adapters/sql/journal.ts';
import { RowBuffer } from '../../../src/adapters/sql/row-buffer.ts';
import { SchemaCache } from '../../../src/adapters/sql/schema-cache.ts';
import { SqlTenantStore } from '../../../src/adapters/sql/tenant-store.ts';
import { TENANT } from '../../contract/tenant-store-place.ts';
import { eventually } from '../../support/eventually.ts';
import { clock, ids, openDatabase, outsideConnection, RecordingLog, temporaryFolder } from './sqlite-place.ts';

const line = (content: string) =>
  ({ type: 'console', title: 't', content, level: 1, eventId: 'e1', runId: 'R1' }) as const;

describe('a buffer of rows', () => {
  it('drops the oldest rows when it is full and counts them', () => {
    const buffer = new RowBuffer<number>(3);
    for (const row of [1, 2, 3, 4, 5]) buffer.add(row);
    assert.equal(buffer.takeDropped(), 2);
    assert.equal(buffer.takeDropped(), 0);
    assert.deepEqual(buffer.take(2), [3, 4]);
    buffer.putBack([3, 4]);
    buffer.add(6);
    assert.equal(buffer.takeDropped(), 1);
    assert.deepEqual(buffer.take(9), [4, 5, 6]);
  });
});

describe('the journal of a SQLite file', () => {
  it('keeps rows while the file is held by another, without a word in the log, and writes them later', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const log = new RecordingLog();
    const store = new SqlTenantStore(await openDatabase(t, path), { tenant: TENANT, clock, ids, log });
    const tx = await store.begin(100);
    store.journal.sysLog(line('while a run writes'));
    await store.journal.flush();
    await tx.rollback();
    assert.deepEqual(
      (await store.journal.story('e1')).sysLog.map(({ content }) => content),
      ['while a run writes'],
    );
    assert.deepEqual(log.lines, []);
  });

  it('says how many rows it lost when the table refuses them, and goes on', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const log = new RecordingLog();
    const store = new SqlTenantStore(await openDatabase(t, path), { tenant: TENANT, clock, ids, log });
    using outside = outsideConnection(path);
    outside.exec(
      "create trigger no before insert on sys_log when new.Content = 'bad' begin select raise(abort, 'no'); end",
    );
    store.journal.sysLog(line('bad'));
    await store.journal.flush();
    const [warning] = log.lines;
    assert.deepEqual(
      [warning?.event, warning?.fields?.rows, warning?.fields?.kept],
      ['journal.flush_failed', 1, false],
    );
    store.journal.sysLog(line('good'));
    assert.deepEqual(
      (await store.journal.story('e1')).sysLog.map(({ content }) => content),
      ['good'],
    );
  });

  it('writes at once what was there when a flush began, and what comes meanwhile with the next one', async (t) => {
    const database = await openDatabase(t, join(temporaryFolder(t), 'a.db'));
    let transactions = 0;
    const busy = Object.create(database, {
      write: {
        value: (work: Parameters<typeof database.write>[0], waitMs: number) => {
          transactions += 1;
          journal.sysLog(line('during'));
          if (transactions > 5) throw new Error('it goes on for ever');
          return database.write(work, waitMs);
        },
      },
    }) as typeof database;
    const schema = new SchemaCache(database);
    const parts = { tenantLower: 'demo', database: busy, schema, clock, ids, log: new RecordingLog() };
    const journal = new SqlJournal(parts);
    for (let i = 0; i < 150; i += 1) journal.sysLog(line('before'));
    await journal.flush();
    assert.equal(transactions, 1);
    await journal.close();
    const rows = await database.reader.selectFrom('sys_log').where('Content', '=', 'before').selectAll().execute();
    assert.equal(rows.length, 150);
  });

  it('writes by itself after a short time', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const database = await openDatabase(t, path);
    const store = new SqlTenantStore(database, { tenant: TENANT, clock, ids, log: new RecordingLog() });
    store.journal.sysLog(line('x'));
    await eventually(async () => {
      const rows = await database.reader.selectFrom('sys_log').selectAll().execute();
      assert.equal(rows.length, 1);
    });
  });
});
