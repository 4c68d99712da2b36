import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEngineHeader } from '../../src/core/engine-header.ts';
import { lockScopeOf, readEngineLock } from '../../src/core/engine-lock.ts';
import { entryColumns } from '../../src/core/header-entry.ts';
import { accepted, refused } from '../support/parsed.ts';

test('Lock is on by true, 1, "1" and "true"; LockKey names the scope', () => {
  for (const on of [true, 1, '1', 'true', 1n]) assert.deepEqual(readEngineLock({ Lock: on }), {});
  for (const off of [undefined, null, false, 0, '0', '', 'x'])
    assert.equal(readEngineLock({ Lock: off, LockKey: 'Id' }), undefined);
  assert.deepEqual(readEngineLock({ Lock: 1, LockKey: ' TenantKey ' }), { param: 'TenantKey' });
  assert.deepEqual(readEngineLock({ Lock: 1, LockKey: null }), {});
});

test('the scope is the value of that parameter; without one it is the engine', () => {
  const SCOPES: readonly (readonly [string | undefined, unknown, string | undefined])[] = [
    ['Id', { Id: 7 }, '7'],
    ['Id', { Id: '7' }, '7'],
    ['Id', { Id: false }, 'false'],
    ['Id', { Id: { a: 1 } }, '{"a":1}'],
    ['a.b', { 'a.b': 'own', a: { b: 'path' } }, 'own'],
    ['Message.Message.OrderId', { Message: { Message: { OrderId: 'o1' } } }, 'o1'],
    ['Id', { Id: '' }, undefined],
    ['Id', { Id: null }, undefined],
    ['Id', { id: 1 }, undefined],
    ['toString', {}, undefined],
    ['a.length', { a: 'text' }, undefined],
    ['Id', null, undefined],
    ['Id', [1], undefined],
    [undefined, { Id: 1 }, undefined],
    // Some write it so: the lock is the tenant's anyway.
    ['$' + '{V8.OsClient}', { Id: 1 }, undefined],
  ];
  for (const [param, input, scope] of SCOPES) {
    const lock = param === undefined ? {} : { param };
    assert.equal(lockScopeOf(lock, input as never), scope, `${param} of ${JSON.stringify(input)}`);
  }
});

test('@lock sets the columns and takes them back', () => {
  const lockOf = (line: string) => accepted(parseEngineHeader('a.js', `/**\n * ${line}\n */`)).entry.lock;
  assert.deepEqual([lockOf('@lock'), lockOf('@lock Order.客户'), lockOf('@anonymous')], ['', 'Order.客户', undefined]);
  assert.deepEqual(entryColumns({ lock: 'Id' }), { Lock: 1, LockKey: 'Id' });
  assert.deepEqual(entryColumns({ lock: '' }), { Lock: 1, LockKey: '' });
  assert.deepEqual(entryColumns({}, { lock: 'Id' }), { Lock: 0, LockKey: '' });
  for (const bad of ['@lock a b', '@lock .a', `@lock ${'a'.repeat(51)}`]) {
    const { code, params } = refused(parseEngineHeader('a.js', `/**\n * ${bad}\n */`));
    assert.deepEqual([code, params.line], ['HEADER_INVALID', 2]);
    assert.match(String(params.rule), /^@lock: .*V8\.Param/);
  }
});
