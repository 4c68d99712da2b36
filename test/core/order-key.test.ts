import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderKeyOf } from '../../src/core/order-key.ts';

for (const [path, message, key] of [
  ['Id', { Id: 'a' }, 'a'],
  ['Order.Id', { Order: { Id: 7 } }, '7'],
  ['Order.Id', { Order: { Id: '7' } }, '7'],
  ['Paid', { Paid: false }, 'false'],
  ['Id', { Id: '' }, undefined],
  ['Id', { Id: null }, undefined],
  ['Id', { Id: ['a'] }, undefined],
  ['Id.Of', { Id: 'a' }, undefined],
  ['Id', ['Id'], undefined],
  ['Id', 'Id', undefined],
  ['toString', {}, undefined],
] as const) {
  test(`${path} of ${JSON.stringify(message)} is ${key}`, () => assert.equal(orderKeyOf(path, message), key));
}
