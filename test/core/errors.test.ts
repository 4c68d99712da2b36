import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_TABLE } from '../../src/core/error-table.ts';
import { AppError, coerceError, describeError, type ErrorCode, orThrow, refuse } from '../../src/core/errors.ts';

const PLACEHOLDER = /\{(\w+)\}/g;

for (const [code, spec] of Object.entries(ERROR_TABLE)) {
  test(`${code} says the same in both languages`, () => {
    const names = (text: string) => [...new Set(text.match(PLACEHOLDER) ?? [])].sort();
    assert.deepEqual(names(spec.zh), names(spec.en));
    assert.match(spec.zh, /\p{Script=Han}/u);
    assert.doesNotMatch(spec.en.replaceAll('行:', '').replaceAll('列:', ''), /\p{Script=Han}/u);
    assert.match(code, /^[A-Z][A-Z0-9_]+$/);
    assert.ok(spec.http >= 400 && spec.http < 600);
  });
}

test('a sentence takes its parameters and leaves none open', () => {
  const record = { code: 'QUEUE_FOREIGN', params: { queue: 'microi.b.x' } } as const;
  assert.match(describeError(record, 'en'), /^Queue microi\.b\.x belongs to another tenant/);
  assert.doesNotMatch(describeError({ code: 'QUEUE_FOREIGN', params: {} }, 'zh'), /\{|undefined/);
});

test('an AppError crosses a boundary as code and parameters only', () => {
  const error = new AppError('NOT_FOUND', { what: 'x' }, { cause: new Error('secret') });
  assert.deepEqual(error.toRecord(), { code: 'NOT_FOUND', params: { what: 'x' } });
  assert.equal((error.cause as Error).message, 'secret');
});

test('anything thrown becomes an AppError once', () => {
  const known = new AppError('DB_BUSY');
  assert.equal(coerceError(known), known);
  const unknown = coerceError('text');
  assert.equal(unknown.code, 'INTERNAL' satisfies ErrorCode);
  assert.equal(unknown.cause, 'text');
});

test('orThrow throws the code of the refusal', () => {
  assert.throws(() => orThrow(refuse('TENANT_INVALID')), { name: 'AppError', code: 'TENANT_INVALID' });
});
