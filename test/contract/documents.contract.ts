/** What every document store promises (ports/documents.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import type { DocumentNode } from '../../src/core/document-where.ts';
import { parseDocumentWhere } from '../../src/core/document-where.ts';
import { AppError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { DocumentStore } from '../../src/ports/documents.ts';
import { accepted } from '../support/parsed.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

export type OpenDocuments = (t: TestContext) => Promise<DocumentStore>;

const { localText } = systemClock('Asia/Shanghai');

const PLACE = { database: 'sys_log_2026', collection: 'log_2026_08' };
/** 2026-08-01 08:00:00 in Shanghai. */
const FIRST_MS = Date.UTC(2026, 7, 1);
const DAY_MS = 24 * 3_600_000;

/** An ObjectId with this last digit. */
const oid = (digit: number): string => `64b00000000000000000000${digit}`;

/** The n-th was stored on the n-th day. */
const DOCUMENTS: readonly JsonObject[] = [
  {
    Name: 'Pump A',
    Level: 1,
    Ok: true,
    At: '2026-08-01 08:00:00',
    Tags: ['hot', 'wet'],
    Place: { City: '上海', Floor: 2 },
  },
  { Name: 'pump b', Level: 2, Ok: false, At: '2026-08-02', Tags: [], Place: { City: '北京' } },
  { Name: 'Valve.C', Level: '2', Ok: 'true', Tags: ['wet'], Place: [{ City: '上海' }, { City: '广州' }] },
  { Name: null, Level: 10.5, Parts: [{ No: 1 }, { No: 7 }] },
  { Name: 'ÄPFEL 🚚', Level: -3, Text: 'line\n' },
];

/** `_Where` and the numbers of the documents it finds, newest first. */
const WHERES: readonly (readonly [where: unknown, numbers: string])[] = [
  [[], '54321'],
  [undefined, '54321'],
  // (a) null asks for nothing
  [[['Name', '=', null]], '54321'],
  [
    [
      ['Name', '=', null],
      ['Level', '=', 1],
    ],
    '1',
  ],
  [
    [
      ['(', 'Name', '=', null],
      ['OR', 'Level', '=', 1, ')'],
      ['Ok', '=', true],
    ],
    '1',
  ],
  // equality does not convert
  [[['Level', '=', 2]], '2'],
  [[['Level', '=', '2']], '3'],
  [[['Level', '==', 2.0]], '2'],
  [[['Ok', '=', true]], '1'],
  [[['Ok', '=', 'true']], '3'],
  [[['Name', '=', 'pump a']], ''],
  [[['Tags', '=', 'wet']], '31'],
  [[['Name', '<>', 'Pump A']], '5432'],
  [[['Tags', '!=', 'wet']], '542'],
  // (b) lists, their JSON text, and text with commas whose parts stay text
  [[['Level', 'In', [1, '2', 10.5]]], '431'],
  [[['Level', 'In', '1,2']], '3'],
  [[['Level', 'In', '[1, 2]']], '21'],
  [[['Name', 'in', 'Pump A, pump b']], '21'],
  [[['Level', 'In', []]], ''],
  [[['Level', 'NotIn', []]], '54321'],
  [[['Level', 'NotIn', [1, 2]]], '543'],
  [[['Name', 'In', [null, 'pump b']]], '42'],
  [[['Ok', 'In', [null]]], '54'],
  // (c) Like is literal, in any case, and anchored where it says so
  [[['Name', 'Like', 'PUMP']], '21'],
  [[['Name', 'Like', 'äpfel']], '5'],
  [[['Name', 'Like', '.']], '3'],
  [[['Name', 'Like', '%']], ''],
  [[['Name', 'Like', '']], '5321'],
  [[['Name', 'StartLike', 'pump']], '21'],
  [[['Name', 'StartLike', 'ump']], ''],
  [[['Name', 'EndLike', 'B']], '2'],
  [[['Name', 'EndLike', 'pump']], ''],
  [[['Text', 'EndLike', 'line']], ''],
  [[['Name', 'NotLike', 'pump']], '543'],
  [[['Name', 'NotStartLike', 'PUMP A']], '5432'],
  [[['Name', 'NotEndLike', 'a']], '5432'],
  [[['Tags', 'Like', 'HO']], '1'],
  // (d), (e) each AND and OR counts, and brackets group
  [
    [
      ['Level', '=', 1],
      ['OR', 'Level', '=', 2],
      ['AND', 'Ok', '=', true],
    ],
    '1',
  ],
  [
    [
      ['Level', '=', 2],
      ['OR', 'Level', '=', 1],
      ['AND', 'Ok', '=', false],
    ],
    '2',
  ],
  [
    [
      ['(', 'Level', '=', 1],
      ['OR', 'Level', '=', 2, ')'],
      ['AND', 'Ok', '=', true],
    ],
    '1',
  ],
  [
    [
      ['Level', '=', 10.5],
      ['||', '(', 'Level', '=', 2],
      ['&&', 'Ok', '=', false, ')'],
    ],
    '42',
  ],
  [
    [
      { Name: 'Level', Type: '=', Value: 1 },
      { Name: 'Level', Type: '=', Value: 2, AndOr: 'Or' },
    ],
    '21',
  ],
  // (f) an ordering reads text as number, boolean, date, text
  [[['Level', '>', '1']], '42'],
  [[['Level', '>=', 2]], '42'],
  [[['Level', '<', '0']], '5'],
  [[['Level', '<=', '1e0']], '51'],
  [[['Ok', '>=', 'FALSE']], '21'],
  [[['Name', '>', 'pump']], '52'],
  [[['At', '>', '2026-08-01 12:00:00']], '2'],
  [[['At', '>=', '2026-08-01']], '21'],
  [[['CreateTime', '>=', '2026-08-03']], '543'],
  [[['CreateTime', '>', '2026-08-03 08:00:00']], '54'],
  [[['CreateTime', '<=', '2026/8/2 8:00:00']], '21'],
  [[['CreateTime', '<', '2026-08-02T00:00:00Z']], '1'],
  // (g), (h) an unknown operator is equality, a short condition asks for nothing
  [[['Level', 'Contains', 2]], '2'],
  [[['Level'], ['Level', '=', 1], ['Ok', '=']], '1'],
  // paths and ids
  [[['Place.City', '=', '上海']], '31'],
  [[['Place.Floor', '>', 1]], '1'],
  [[['Place.1.City', '=', '广州']], '3'],
  [[['Parts.No', '>', 5]], '4'],
  [[['Place.City.Name', '<>', 'x']], '54321'],
  [[['_id', '=', oid(2).toUpperCase()]], '2'],
  [[['_id', 'In', `${oid(1)},${oid(4)},event-5`]], '541'],
  [[['_id', '<>', oid(1)]], '5432'],
  [
    [
      ['_id', '>', oid(2)],
      ['_id', '<=', oid(4)],
    ],
    '43',
  ],
  [[['_id', 'NotIn', [oid(1), 'event-5']]], '432'],
];

const idAt = (index: number): string => (index === 4 ? 'event-5' : oid(index + 1));

const whereOf = (input: unknown): readonly DocumentNode[] =>
  accepted(parseDocumentWhere(input, { localText, lang: 'en' })).nodes;

const isRefused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

async function filled(open: OpenDocuments, t: TestContext): Promise<DocumentStore> {
  const store = await open(t);
  for (const [index, fields] of DOCUMENTS.entries()) {
    await store.insert(PLACE, { id: idAt(index), createdAt: FIRST_MS + index * DAY_MS, fields });
  }
  return store;
}

async function list(store: DocumentStore, where: unknown, offset = 0, limit = 100, place = PLACE) {
  const { signal } = new AbortController();
  const { documents, total } = await store.list(place, { where: whereOf(where), offset, limit, signal });
  return { numbers: documents.map(({ id }) => (id === 'event-5' ? '5' : id.at(-1))).join(''), total, documents };
}

/**
 * The documents of a transaction, which is rolled back before its database is closed. Its calls come one after another,
 * as those of a run do.
 */
export function inTransaction(open: OpenTenantStore): OpenDocuments {
  return async (t) => {
    const ends: (() => unknown)[] = [];
    const { store } = await open({ after: (end: () => unknown) => ends.push(end) } as unknown as TestContext);
    const tx = await store.begin(1_000);
    t.after(async () => {
      await tx.rollback();
      for (const end of ends) await end();
    });
    return tx.documents;
  };
}

/** @param isShared several calls may be under way at once. */
export function documentsContract(adapter: string, open: OpenDocuments, isShared = true): void {
  describe(`documents contract: ${adapter}`, () => {
    it('finds what each _Where asks for, newest first', async (t) => {
      const store = await filled(open, t);
      for (const [where, numbers] of WHERES) {
        const found = await list(store, where);
        assert.equal(found.numbers, numbers, JSON.stringify(where));
        assert.equal(found.total, numbers.length, JSON.stringify(where));
      }
    });

    it('cuts pages and counts everything that matches', async (t) => {
      const store = await filled(open, t);
      const pages = await Promise.all([0, 2, 4, 6].map((offset) => list(store, [], offset, 2)));
      assert.deepEqual(
        pages.map(({ numbers, total }) => [numbers, total]),
        [
          ['54', 5],
          ['32', 5],
          ['1', 5],
          ['', 5],
        ],
      );
      const matching = await list(store, [['Level', '<', 5]], 1, 1);
      assert.deepEqual([matching.numbers, matching.total], ['2', 3]);
    });

    it('orders documents of one moment by id, and walks long collections to their end', async (t) => {
      const store = await open(t);
      for (let index = 0; index < 12; index += 1) {
        await store.insert(PLACE, { id: `a${index % 10}${index}`, createdAt: FIRST_MS, fields: { index } });
      }
      const { documents } = await list(store, [['index', '>=', 0]]);
      assert.deepEqual(
        documents.map(({ id }) => id),
        [...documents.map(({ id }) => id)].sort().reverse(),
      );
      assert.equal(documents.length, 12);
    });

    it('gives a document back as it was stored', async (t) => {
      const store = await filled(open, t);
      for (const [index, fields] of DOCUMENTS.entries()) {
        const found = await store.find(PLACE, idAt(index));
        assert.deepEqual(found, { id: idAt(index), createdAt: FIRST_MS + index * DAY_MS, fields });
      }
      assert.equal(await store.find(PLACE, oid(9)), undefined);
      assert.equal(await store.find(PLACE, 'EVENT-5'), undefined);
    });

    it('keeps databases and collections apart', async (t) => {
      const store = await filled(open, t);
      for (const place of [
        { ...PLACE, database: 'sys_log_2027' },
        { ...PLACE, collection: 'LOG_2026_08' },
      ]) {
        assert.equal((await list(store, [], 0, 10, place)).total, 0);
        await assert.rejects(store.delete(place, oid(1)), isRefused('DOCUMENT_MISSING'));
        await store.insert(place, { id: oid(1), createdAt: FIRST_MS, fields: { Name: 'other' } });
      }
      assert.equal((await store.find(PLACE, oid(1)))?.fields.Name, 'Pump A');
    });

    it('refuses a second document of one id and keeps the first', async (t) => {
      const store = await filled(open, t);
      for (const id of [oid(1), 'event-5']) {
        const second = store.insert(PLACE, { id, createdAt: FIRST_MS, fields: { Name: 'second' } });
        await assert.rejects(second, isRefused('DOCUMENT_EXISTS'));
      }
      assert.equal((await store.find(PLACE, oid(1)))?.fields.Name, 'Pump A');
    });

    it('an update sets its fields, leaves the others, and says when nothing changed', async (t) => {
      const store = await filled(open, t);
      await store.update(PLACE, oid(1), { Level: 9, New: { deep: [1] } });
      const changed = await store.find(PLACE, oid(1));
      assert.deepEqual(changed?.fields, { ...DOCUMENTS[0], Level: 9, New: { deep: [1] } });
      assert.equal(changed?.createdAt, FIRST_MS);
      await assert.rejects(store.update(PLACE, oid(1), { Level: 9 }), isRefused('DOCUMENT_UNCHANGED'));
      await assert.rejects(store.update(PLACE, oid(9), { Level: 9 }), isRefused('DOCUMENT_MISSING'));
    });

    it('updates of different fields at once all stay', async (t) => {
      const store = await filled(open, t);
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const update = (name: string) => store.update(PLACE, oid(2), { [name]: name });
      if (isShared) await Promise.all(names.map(update));
      else for (const name of names) await update(name);
      const found = await store.find(PLACE, oid(2));
      assert.deepEqual(
        names.map((name) => found?.fields[name]),
        names,
      );
    });

    it('deletes a document once', async (t) => {
      const store = await filled(open, t);
      await store.delete(PLACE, oid(3));
      await assert.rejects(store.delete(PLACE, oid(3)), isRefused('DOCUMENT_MISSING'));
      assert.equal((await list(store, [])).numbers, '5421');
    });

    it('refuses a list that is larger than one answer may be', async (t) => {
      const store = await open(t);
      const Text = 'x'.repeat(3 * 1024 * 1024);
      for (let index = 0; index < 6; index += 1) {
        await store.insert(PLACE, { id: oid(index), createdAt: FIRST_MS + index, fields: { Text } });
      }
      await assert.rejects(list(store, []), isRefused('V8_RESULT_TOO_LARGE'));
      await assert.rejects(list(store, [['Text', 'StartLike', 'X']]), isRefused('V8_RESULT_TOO_LARGE'));
      assert.equal((await list(store, [], 0, 2)).numbers, '54');
    });

    it('stops a list that nobody waits for', async (t) => {
      const store = await filled(open, t);
      const signal = AbortSignal.abort(new AppError('DB_TX_LOST'));
      for (const where of [[], [['Level', '>', 0]]]) {
        const read = store.list(PLACE, { where: whereOf(where), offset: 0, limit: 10, signal });
        await assert.rejects(read, isRefused('DB_TX_LOST'));
      }
    });
  });
}
