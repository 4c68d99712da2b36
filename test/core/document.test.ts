import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_DOCUMENT_BYTES, parseDocumentFields, updateFields } from '../../src/core/document.ts';
import { makeObjectId, parseDocumentId, parseDocumentPlace } from '../../src/core/document-name.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { accepted } from '../support/parsed.ts';

describe('names of documents', () => {
  for (const [database, collection] of [
    ['sys_log_2026', 'log_2026_08'],
    ['a', '_x'],
    ['2026-log', '日志.2026-08'],
    ['x'.repeat(63), 'y'.repeat(180)],
  ]) {
    it(`takes ${database?.slice(0, 20)} and ${collection?.slice(0, 20)} as they are`, () => {
      assert.deepEqual(accepted(parseDocumentPlace(database, collection)), { database, collection });
    });
  }

  const refused: readonly (readonly [database: unknown, collection: unknown, code: string, field: string])[] = [
    [undefined, 'c', 'PARAM_MISSING', 'DbName'],
    ['', 'c', 'PARAM_MISSING', 'DbName'],
    ['d', null, 'PARAM_MISSING', 'TableName'],
    ...['admin', 'LOCAL', 'config', 'a.b', 'a b', 'a/b', '$a', 'x'.repeat(64), 'ä', 7, {}, 'a\0b'].map(
      (name) => [name, 'c', 'PARAM_INVALID', 'DbName'] as const,
    ),
    ...['system.users', 'System.js', '$cmd', 'a$', '.a', '-a', 'a b', 'y'.repeat(181), '日'.repeat(61), 7, 'a\0'].map(
      (name) => ['d', name, 'PARAM_INVALID', 'TableName'] as const,
    ),
  ];
  for (const [database, collection, code, field] of refused) {
    it(`refuses ${JSON.stringify([database, collection]).slice(0, 40)}`, () => {
      const result = parseDocumentPlace(database, collection);
      assert.ok(!result.ok);
      assert.deepEqual([result.error.code, result.error.params.field], [code, field]);
    });
  }

  it('an ObjectId has its time in front and is written in lower case', () => {
    const id = makeObjectId(Date.UTC(2026, 0, 31), 'ABCDEF0123456789ff');
    assert.equal(id, '697d4600abcdef0123456789');
    assert.equal(accepted(parseDocumentId(id.toUpperCase())), id);
  });

  it('any other short text is an id, too', () => {
    for (const id of ['e-1', '订单 1', 'x'.repeat(64)]) assert.equal(accepted(parseDocumentId(id)), id);
    for (const id of ['', 'x'.repeat(65), 'a\nb', '\ud800']) assert.equal(parseDocumentId(id).ok, false);
  });
});

describe('fields of a document', () => {
  it('leave out what the host fills', () => {
    assert.deepEqual(accepted(parseDocumentFields({ _id: 'x', CreateTime: 'y', A: 1 })), { A: 1 });
  });

  const deep = (levels: number): JsonObject => (levels === 0 ? { A: 1 } : { A: deep(levels - 1) });
  const refused: readonly [fields: JsonObject, code: string][] = [
    [{}, 'PARAM_MISSING'],
    [{ _id: 'x' }, 'PARAM_MISSING'],
    [{ $set: { A: 1 } }, 'PARAM_INVALID'],
    [{ 'A.B': 1 }, 'PARAM_INVALID'],
    [{ '': 1 }, 'PARAM_INVALID'],
    [{ 'A\0': 1 }, 'PARAM_INVALID'],
    [{ A: [{ B: { $gt: 1 } }] }, 'PARAM_INVALID'],
    [deep(95), 'PARAM_INVALID'],
    [{ A: '中'.repeat(MAX_DOCUMENT_BYTES / 3) }, 'DOCUMENT_TOO_LARGE'],
  ];
  for (const [fields, code] of refused) {
    it(`refuse ${JSON.stringify(fields).slice(0, 40)}`, () => {
      const result = parseDocumentFields(fields);
      assert.ok(!result.ok);
      assert.equal(result.error.code, code);
    });
  }

  it('an update that would make it too large is refused, one that changes nothing is none', () => {
    const old = { A: 'x'.repeat(MAX_DOCUMENT_BYTES - 100), B: [1] };
    assert.equal(accepted(updateFields(old, { B: [1] })), undefined);
    assert.deepEqual(accepted(updateFields({ A: 1 }, { B: null })), { A: 1, B: null });
    assert.equal(updateFields(old, { C: 'y'.repeat(200) }).ok, false);
  });
});
