import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { errorGroup, errorPattern } from '../../src/core/error-group.ts';

describe('the pattern of an error', () => {
  for (const [error, pattern] of [
    ['no stock for P-17', 'no stock for <id>'],
    ['no stock for P-17\nat save (a.js:4:9)', 'no stock for <id>'],
    ['took 31 of 12.5 pieces', 'took <n> of <n> pieces'],
    ['HTTP 404 for order 404', 'HTTP 404 for order <n>'],
    ['returned Code 0: no', 'returned Code 0: no'],
    ['errno: 1062', 'errno: 1062'],
    ['event 9f1c3a70-1234-4bcd-8abc-0123456789ab again', 'event <uuid> again'],
    ['due 2026-11-29 20:00:05.120 is over', 'due <time> is over'],
    ["Unknown column 'Qty' in 'where clause'", "Unknown column 'Qty' in 'where clause'"],
    ["Duplicate entry 'A-17' for key 'Sku'", "Duplicate entry <text> for key 'Sku'"],
    ['脚本抛出异常：订单 D20261129 没有库存 [行:4, 列:9]', '脚本抛出异常：订单 <id> 没有库存'],
    ['  many   blanks ', 'many blanks'],
    ['', ''],
  ] as const) {
    it(`of ${JSON.stringify(error)} is ${JSON.stringify(pattern)}`, () => assert.equal(errorPattern(error), pattern));
  }
});

describe('the group of a dead letter', () => {
  it('is the same whatever number the message had', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        assert.equal(errorGroup('rejected', `no stock for P-${a}`), errorGroup('rejected', `no stock for P-${b}`));
      }),
    );
  });

  it('tells reasons and causes apart, and is 16 hexadecimal digits for any text', () => {
    assert.notEqual(errorGroup('rejected', 'x'), errorGroup('host-crash', 'x'));
    assert.notEqual(errorGroup('rejected', 'x'), errorGroup('rejected', 'y'));
    fc.assert(fc.property(fc.string(), (text) => assert.match(errorGroup('rejected', text), /^[0-9a-f]{16}$/)));
  });
});
