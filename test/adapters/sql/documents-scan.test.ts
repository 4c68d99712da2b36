import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqlDocumentStore } from '../../../src/adapters/sql/documents.ts';
import { AppError } from '../../../src/core/errors.ts';
import { openDatabase, temporaryFolder } from './sqlite-place.ts';

test('a list with conditions compares so many documents and no more; one without needs none compared', async (t) => {
  const database = await openDatabase(t, join(temporaryFolder(t), 'tenant_a.db'));
  const target = {
    read: <T>(work: (db: typeof database.reader) => Promise<T>) => work(database.reader),
    write: <T>(work: (db: typeof database.reader) => Promise<T>) => database.write(work),
  };
  const documents = new SqlDocumentStore(target, 3);
  const place = { database: 'iot', collection: 'reading' };
  const { signal } = new AbortController();
  const where = [{ glue: 'and', column: 'n', operator: 'ge', value: [0] } as const];
  for (let n = 0; n < 3; n += 1) await documents.insert(place, { id: `e${n}`, createdAt: n, fields: { n } });
  assert.equal((await documents.list(place, { where, offset: 0, limit: 1, signal })).total, 3);
  await documents.insert(place, { id: 'e3', createdAt: 3, fields: { n: 3 } });
  await assert.rejects(documents.list(place, { where, offset: 0, limit: 1, signal }), (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.params], ['DOCUMENTS_SCAN_LIMIT', { collection: 'reading', limit: 3 }]);
    return true;
  });
  assert.equal((await documents.list(place, { where: [], offset: 0, limit: 1, signal })).total, 4);
});
