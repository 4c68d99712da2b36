import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { openLanes, reply, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(() => lanes.close());

const UTF8 = 'System.Text.Encoding.UTF8';
const AT = 'System.DateTime.Today.AddYears(2024 - System.DateTime.Today.Year)';

const VALUES: readonly [expression: string, value: unknown][] = [
  ['System.Convert.ToBase64String([102, 111, 111])', 'Zm9v'],
  ['System.Convert.ToBase64String(new Uint8Array([102, 111]))', 'Zm8='],
  ['System.Convert.ToBase64String([])', ''],
  ['System.Convert.FromBase64String("Zm9v")', [102, 111, 111]],
  [`${UTF8}.GetBytes("é你")`, [0xc3, 0xa9, 0xe4, 0xbd, 0xa0]],
  [`${UTF8}.GetString([0xe4, 0xbd, 0xa0, 0xff])`, '你\ufffd'],
  [`Array.isArray(${UTF8}.GetBytes("a"))`, true],
  [`System.Convert.ToBase64String(${UTF8}.GetBytes("你好")) === V8.Base64.StringToBase64("你好")`, true],
  ['System.Math.Round(2.5)', 2],
  ['System.Math.Round(3.5)', 4],
  ['System.Math.Round(2.345, 2)', 2.34],
  ['System.Math.Round(-2.675, 2)', -2.68],
  ['System.Math.Round(1.005, 2)', 1],
  ['System.Math.Round(1.2345, 8)', 1.2345],
  ['System.Math.Ceiling(1.2) + System.Math.Truncate(-1.7) + System.Math.Abs(-2)', 3],
  ['System.Math.Max(1, 2) * System.Math.Min(3, 4) + System.Math.Pow(2, 3)', 14],
  [`${AT}.ToString("yyyy")`, '2024'],
  [`${AT}.AddMonths(1).Year >= 2024`, true],
  ['System.DateTime.Today.ToString("HH:mm:ss.fff")', '00:00:00.000'],
  ['System.DateTime.Today.AddHours(25).AddMinutes(1).AddSeconds(1).ToString("HH:mm:ss")', '01:01:01'],
  ['System.DateTime.Today.AddDays(1).Day === new Date(new Date().setHours(24)).getDate()', true],
  ['System.DateTime.Now.ToString("yyyy-MM-dd HH") === DateNow("yyyy-MM-dd HH")', true],
  ['"" + System.DateTime.Today === DateNow("yyyy-MM-dd") + " 00:00:00"', true],
  ['JSON.stringify({ at: System.DateTime.Today }).length', '{"at":"2024-01-01 00:00:00"}'.length],
  ['System.DateTime.UtcNow.ToString("yyyy-MM-ddTHH") === new Date().toISOString().slice(0, 13)', true],
  ['typeof System.IO', 'undefined'],
  ['typeof System.Diagnostics', 'undefined'],
  ['typeof System.Reflection', 'undefined'],
  ['Object.isFrozen(System) && Object.isFrozen(System.Text.Encoding.UTF8)', true],
];

for (const [expression, value] of VALUES) {
  test(`${expression} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await returnedBy(lanes, `return ${expression}`), value);
  });
}

const THROWS: readonly [expression: string, says: RegExp][] = [
  ['System.Convert.FromBase64String("not base64")', /Base64/],
  ['System.Convert.FromBase64String(null)', /Base64/],
  ['System.Convert.ToBase64String("text")', /bytes/],
  ['System.Convert.ToBase64String([256])', /bytes/],
  ['System.Convert.ToBase64String([1.5])', /bytes/],
  ['System.Text.Encoding.UTF8.GetString({})', /bytes/],
  ['System.DateTime.Now.AddDays("many")', /AddDays/],
];

for (const [expression, says] of THROWS) {
  test(`${expression} throws what try and catch can handle`, async () => {
    const message = await returnedBy(lanes, `try { ${expression} } catch (e) { return e.message }`);
    assert.match(String(message), says);
  });
}

test('what needs the host asks it: ids, digests and the wait', async () => {
  const source = `
    var guid = System.Guid.NewGuid();
    var hmac = new System.Security.Cryptography.HMACSHA1([1, 2]).ComputeHash([3]);
    var digest = System.Security.Cryptography.SHA256.Create().ComputeHash([4]);
    System.Threading.Thread.Sleep(5);
    V8.Action.Sleep(6);
    return [guid.ToString(), guid.ToString('N'), '' + guid, JSON.stringify({ guid }), hmac, digest];`;
  const { outcome, calls } = await runScript(lanes, source, {
    call: (name) => reply(name === 'Method.NewGuid' ? 'a-b' : [9]),
  });
  assert.deepEqual(outcome, {
    kind: 'returned',
    json: JSON.stringify(['a-b', 'ab', 'a-b', '{"guid":"a-b"}', [9], [9]]),
  });
  assert.deepEqual(calls, [
    { name: 'Method.NewGuid', args: '[]' },
    { name: 'System.ComputeHash', args: '["SHA1",[1,2],[3]]' },
    { name: 'System.ComputeHash', args: '["SHA256",null,[4]]' },
    { name: 'Action.Sleep', args: '[5]' },
    { name: 'Action.Sleep', args: '[6]' },
  ]);
});

test('a script may have a System of its own', async () => {
  assert.equal(await returnedBy(lanes, 'var System = 1; return System'), 1);
});
