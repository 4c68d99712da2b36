import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onceKey } from '../../src/core/once-key.ts';
import {
  type DesignType,
  isWider,
  parseDesignType,
  parseFieldName,
  parseTableName,
} from '../../src/core/table-design.ts';
import { accepted } from '../support/parsed.ts';

const typeOf = (text: string): DesignType => accepted(parseDesignType(text, 'en'));

test('a type is wider when no value of the first is lost in the second', () => {
  const wider = [
    ['varchar(5)', 'varchar(5)'],
    ['varchar(5)', 'VARCHAR(60)'],
    ['varchar(5)', 'longtext'],
    ['int', 'bigint'],
    ['decimal(10,2)', 'decimal(12,4)'],
    ['mediumtext', 'longtext'],
  ] as const;
  for (const [from, to] of wider) assert.ok(isWider(typeOf(from), typeOf(to)), `${from} to ${to}`);
  const narrower = [
    ['varchar(60)', 'varchar(5)'],
    ['longtext', 'varchar(16000)'],
    ['bigint', 'int'],
    ['int', 'varchar(20)'],
    ['decimal(10,2)', 'decimal(10,4)'],
    ['decimal(10,2)', 'decimal(12,1)'],
    ['datetime', 'varchar(25)'],
    ['int', 'decimal(18,2)'],
  ] as const;
  for (const [from, to] of narrower) assert.ok(!isWider(typeOf(from), typeOf(to)), `${from} to ${to}`);
});

test('names of tables and fields are trimmed, and refused in the language of the caller', () => {
  assert.equal(accepted(parseTableName(' diy_car ', 'en')), 'diy_car');
  assert.equal(accepted(parseFieldName('Seats', 'zh')), 'Seats');
  const zh = parseTableName('order', 'zh');
  assert.ok(!zh.ok && String(zh.error.params.rule).includes('保留字'));
  const en = parseFieldName('UserId', 'en');
  assert.ok(!en.ok && String(en.error.params.rule).includes('every table has this column'));
});

test('a key of V8.Inbox.Once belongs to its engine whatever its case, and keeps its own', () => {
  assert.deepEqual(accepted(onceKey('Pay-Back', ' A-1 ')), { queue: 'once:pay-back', eventId: 'A-1' });
  assert.deepEqual(accepted(onceKey('pay-back', 7)), { queue: 'once:pay-back', eventId: '7' });
  for (const key of [undefined, null, '', ' ', {}, true, 1.5, 'a\u0000b', '\ud800']) {
    assert.equal(onceKey('pay', key).ok, false, String(key));
  }
});
