import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { endOf, openLanes, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

const LINES: readonly [call: string, line: string][] = [
  ['console.log("a", 1, true, null, undefined)', 'log a 1 true null undefined'],
  ['console.info({a: [1, "x"]})', 'info {"a":[1,"x"]}'],
  ['console.warn(new TypeError("bad"))', 'warn TypeError: bad'],
  ['console.error(12n, Symbol("s"))', 'error 12 Symbol(s)'],
  ['console.log()', 'log '],
  ['console.log("two\\nlines")', 'log two\nlines'],
  ['const c = {}; c.c = c; console.log(c)', 'log [unreadable]'],
  ['console.log(new Proxy({}, {get(){ throw 1 }}))', 'log [unreadable]'],
];

for (const [call, line] of LINES) {
  test(`${call} writes ${JSON.stringify(line)}`, async () => {
    assert.deepEqual((await runScript(lanes, call)).log, [line]);
  });
}

test('lines come in the order of the calls around them', async () => {
  const seen: string[] = [];
  const { log } = await runScript(lanes, 'console.log(1); V8.MQ.SendMsg({}); console.log(2); await 1; console.log(3)', {
    call: async () => {
      seen.push('call');
      return { kind: 'reply', json: '1' };
    },
  });
  assert.deepEqual([log, seen], [['log 1', 'log 2', 'log 3'], ['call']]);
});

const AT = '"2024-01-31 14:05:09"';

const DATES: readonly [expression: string, value: unknown][] = [
  [`DateFormat(${AT})`, '2024-01-31 14:05:09'],
  [`DateFormat(${AT}, "")`, '2024-01-31 14:05:09'],
  [`DateFormat(${AT}, "yyyyMMddHHmmss")`, '20240131140509'],
  [`DateFormat(${AT}, "yy/M/d h:m:s hh H q SSS")`, '24/1/31 2:5:9 02 14 1 000'],
  [`DateFormat(${AT}, "yyyy yyyy MM-MM")`, '2024 2024 01-01'],
  [`DateFormat(new Date(2024, 11, 1, 0, 0), "q hh h HH")`, '4 12 12 00'],
  ['DateFormat(0, "yyyy-MM-dd HH")', '1970-01-01 08'],
  ['DateFormat("2024-01-31T00:00:00Z")', '2024-01-31 08:00:00'],
  ['DateFormat(null)', null],
  ['DateFormat("")', null],
  ['DateFormat(undefined, "yyyy")', null],
  ['DateFormat("no date")', null],
  [`DateAdd(${AT}, "M", 1)`, '2024-02-29 14:05:09'],
  [`DateAdd(${AT}, "M", -2)`, '2023-11-30 14:05:09'],
  [`DateAdd(${AT}, "M", 12)`, '2025-01-31 14:05:09'],
  [`DateAdd(${AT}, "M", 0)`, '2024-01-31 14:05:09'],
  ['DateAdd("2024-02-29 00:00:00", "y", 1)', '2025-02-28 00:00:00'],
  ['DateAdd("2024-02-29 00:00:00", "d", 1)', '2024-03-01 00:00:00'],
  ['DateAdd("2023-11-30 00:00:00", "q", 1)', '2024-02-29 00:00:00'],
  [`DateAdd(${AT}, "w", 1, "yyyy-MM-dd")`, '2024-02-07'],
  [`DateAdd(${AT}, "h", "2")`, '2024-01-31 16:05:09'],
  [`DateAdd(${AT}, "H", -15)`, '2024-01-30 23:05:09'],
  [`DateAdd(${AT}, "m", 1.5)`, '2024-01-31 14:06:39'],
  [`DateAdd(${AT}, "n", 60)`, '2024-01-31 15:05:09'],
  [`DateAdd(${AT}, "s", 51)`, '2024-01-31 14:06:00'],
  [`DateAdd(${AT}, "d", "many")`, null],
  [`DateAdd(${AT}, "d", null)`, null],
  [`DateAdd(${AT}, "d", 1e300)`, null],
  ['DateAdd("no date", "d", 1)', null],
];

for (const [expression, value] of DATES) {
  test(`${expression} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await returnedBy(lanes, `return ${expression}`), value);
  });
}

test('DateAdd throws for a unit that is none', async () => {
  for (const unit of ['"day"', '""', 'undefined', '"constructor"', '{}']) {
    const { outcome } = await runScript(lanes, `return DateAdd(${AT}, ${unit}, 1)`);
    assert.equal(endOf(outcome), 'threw', unit);
    assert.match(outcome.kind === 'threw' ? outcome.error.message : '', /unit/);
    assert.deepEqual(outcome.kind === 'threw' && outcome.error.at?.file, 'engine.js');
  }
});

test('DateNow is the local time of the configured zone', async () => {
  const before = Date.now();
  const text = String(await returnedBy(lanes, 'return DateNow()'));
  const at = Date.parse(`${text.replace(' ', 'T')}+08:00`);
  assert.ok(at >= before - 1000 && at <= Date.now(), text);
  assert.match(String(await returnedBy(lanes, 'return DateNow("yyyy")')), /^\d{4}$/);
});

test('a script’s own date functions win', async () => {
  assert.equal(await returnedBy(lanes, 'function DateNow(){ return "mine" } return DateNow()'), 'mine');
  assert.equal(await returnedBy(lanes, 'DateNow = () => "global"; return DateNow()'), 'global');
  assert.equal(await returnedBy(lanes, 'Date.prototype.getFullYear = () => 1; return DateFormat(0, "yyyy")'), '1970');
});
