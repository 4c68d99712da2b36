/**
 * The services of v8-surface.md 6, row by row, as a script finds them on the real host over both databases. Where this
 * host departs on purpose the row says so (docs/compatibility.md).
 */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { DATABASES, openOutside, openPatternHost, run } from './pattern-host.ts';

/** An expression of a script, and its value as JSON gives it. */
type Row = readonly [expression: string, value: unknown];

const FAILED = 'failed';

/** The host answers refusals by Code 0 where the platform throws. */
const code0 = (expression: string): Row => [`${expression}.Code`, 0];

const CACHE: readonly Row[] = [
  ['V8.Cache.Set("a", "1")', true],
  ['V8.Cache.Get("a")', '1'],
  ['V8.Cache.Get("none")', null],
  ['V8.Cache.Get("  a ")', '1'],
  ['V8.Cache.Get("Microi:demo:a")', '1'],
  ['V8.Cache.Get("microi:DEMO:a")', '1'],
  code0('V8.Cache.Get("Microi:other:a")'),
  code0('V8.Cache.Get(" ")'),
  code0('V8.Cache.Get("a\\nb")'),
  ['V8.Cache.Set("n", 12.5) && V8.Cache.Get("n")', '12.5'],
  code0('V8.Cache.Set("o", { a: 1 })'),
  ['V8.Cache.Set("t", "x", 60)', true],
  ['V8.Cache.Set("t", "x", "0.01:00:00")', true],
  code0('V8.Cache.Set("t", "x", 0)'),
  code0('V8.Cache.Set("t", "x", NaN)'),
  code0('V8.Cache.Set("t", "x", "one hour")'),
  ['V8.Cache.SetIfNotExists("lock", null, 60)', true],
  ['V8.Cache.Get("lock")', ''],
  ['V8.Cache.SetIfNotExists("lock", "me", 60)', false],
  code0('V8.Cache.SetIfNotExists("lock2", "me", -1)'),
  ['[V8.Cache.KeyExist("a"), V8.Cache.Exists("none")]', [true, false]],
  ['[V8.Cache.Expire("a", 60), V8.Cache.Expire("none", 60)]', [true, false]],
  code0('V8.Cache.Expire("a", 0)'),
  ['V8.Cache.HashSet("h", "f", "1")', true],
  ['V8.Cache.HashSet("h", [{ Name: "g", Value: "2" }, { Name: "i", Value: "3" }]) !== false', true],
  ['[V8.Cache.HashGet("h", "f"), V8.Cache.HashGet("h", "none")]', ['1', null]],
  ['V8.Cache.HashGetAll("h").map((e) => e.Name + e.Value).sort().join()', 'f1,g2,i3'],
  ['V8.Cache.HashGetAllKeys("h").sort()', ['f', 'g', 'i']],
  ['V8.Cache.HashGetAllValues("h").sort()', ['1', '2', '3']],
  ['[V8.Cache.HashExists("h", "f"), V8.Cache.HashLength("h")]', [true, 3]],
  ['V8.Cache.HashIncrement("h", "f", -0.5)', 0.5],
  ['V8.Cache.HashDelete("h", "f")', true],
  ['V8.Cache.HashDelete("h", ["g", "none"])', 1],
  ['V8.Cache.HashRemove("h", "i")', true],
  ['V8.Cache.HashLength("h")', 0],
  ['[V8.Cache.Delete("a"), V8.Cache.Del("n"), V8.Cache.Remove("none")]', [true, true, false]],
  ['[await V8.Cache.SetAsync("x:1", "1"), await V8.Cache.GetAsync("x:1")]', [true, '1']],
  ['V8.Cache.Set("x:2", "1") && await V8.Cache.RemoveParentAsync("x:")', 2],
];

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (kind: string) => createHmac(kind, 'key').update('data').digest('base64');

const METHOD_AND_CRYPTO: readonly Row[] = [
  ['/^[0-9A-HJKMNP-TV-Z]{26}$/.test(V8.Method.NewUlid())', true],
  ['/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(V8.Method.NewGuid())', true],
  ['Math.abs(V8.Method.GetTimestamp() - Date.now() / 1000) < 3', true],
  ['V8.Method.AddSysLog({ Type: "t", Title: "x", Content: "y", Level: 2 }).Code', 1],
  code0('V8.Method.AddSysLog()'),
  ['V8.Method.ParseWhere([["A", "=", 1]])[0].Name', 'A'],
  ['V8.Method.HmacSha1Sign("data", "key")', hmac('sha1')],
  ['V8.Method.HmacSha256Sign("data", "key")', hmac('sha256')],
  ['V8.Method.Md5Sign("a")', Buffer.from(md5('a'), 'hex').toString('base64')],
  ['V8.Method.Md5SignHex("a")', md5('a')],
  ['V8.Method.JsonStringify({ a: null, b: 1.0 })', '{"b":1}'],
  ['V8.Method.JsonStringifyIndented({ b: 1 })', '{\n  "b": 1\n}'],
  ['typeof V8.Method.Nothing', 'undefined'],
  ['V8.EncryptHelper.DESDecode(V8.EncryptHelper.DESEncode("中文"))', '中文'],
  ['V8.EncryptHelper.DESDecode("no cipher")', 'no cipher'],
  ['V8.EncryptHelper.SHA256("a")', sha256('a').toUpperCase()],
  ['V8.EncryptHelper.Sha256Hex("a")', sha256('a')],
  ['V8.EncryptHelper.SHA1("")', ''],
  ['V8.EncryptHelper.MD5Encrypt("a")', md5('a')],
  ['V8.EncryptHelper.MD5Encrypt("a", 16)', md5('a').slice(8, 24)],
  ['V8.EncryptHelper.MD5EncryptWeChat("a")', md5('a').toUpperCase()],
  ['V8.EncryptHelper.AESEncrypt("x", "key").slice(0, 5)', 'aes1:'],
  ['V8.EncryptHelper.AESDecrypt(V8.EncryptHelper.AESEncrypt("x", "key"), "key")', 'x'],
  ['V8.EncryptHelper.HmacSha256([107], [100]).length', 32],
  ['V8.Base64.Base64ToString(V8.Base64.StringToBase64("中文"))', '中文'],
  ['V8.Base64.Base64ToString("not base64!")', 'not base64!'],
  ['V8.Base64.Base64ToString("user") === "user"', false],
];

const AT = '"2024-01-31 14:05:09"';

const DATES_AND_GLOBALS: readonly Row[] = [
  ['/^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$/.test(DateNow())', true],
  [`DateFormat(${AT}, "yyyyMMddHHmmss")`, '20240131140509'],
  ['[DateFormat(null, "yyyy"), DateFormat("", "yyyy"), DateFormat("x", "yyyy")]', [null, null, null]],
  [`DateAdd(${AT}, "M", 1)`, '2024-02-29 14:05:09'],
  ['DateAdd("2024-02-29", "y", 1, "yyyy-MM-dd")', '2025-02-28'],
  [`[DateAdd(${AT}, "m", 1), DateAdd(${AT}, "n", 1)].map((d) => d.slice(11))`, ['14:06:09', '14:06:09']],
  [`DateAdd(${AT}, "d", "two")`, null],
  [`DateAdd(${AT}, "fortnight", 1)`, FAILED],
  ['calc("+", 0.1, 0.2)', 0.3],
  ['V8.Action.GetDateTimeNow().length', 19],
  ['JSON.stringify({ a: undefined, b: 1 }, null, 1)', '{\n "b": 1\n}'],
  ['console.log("a", { b: 1 }, null)', undefined],
  ['typeof setTimeout(function () {}, -5)', 'number'],
  ['typeof setInterval', 'undefined'],
  ['System.Convert.ToBase64String(System.Text.Encoding.UTF8.GetBytes("a"))', 'YQ=='],
  ['System.Text.Encoding.UTF8.GetString(System.Convert.FromBase64String("YQ=="))', 'a'],
  ['/^\\d{8}$/.test(System.DateTime.Now.ToString("yyyyMMdd"))', true],
  ['System.Threading.Thread.Sleep(1)', null],
  ['System.Guid.NewGuid().ToString("N").length', 32],
  ['System.Math.Round(2.5)', 2],
  ['typeof System.IO', 'undefined'],
  ['System.Diagnostics.Process.Start("x")', FAILED],
  [
    '[typeof require, typeof fetch, typeof Buffer, typeof process, typeof document].join()',
    Array(5).fill('undefined').join(),
  ],
];

const MESSAGES_AND_OTHERS: readonly Row[] = [
  ['V8.MQ.SendMsg({ QueueName: "q", EventId: "e-1", Message: { a: 1 } }).Data.EventId', 'e-1'],
  ['(await V8.MQ.SendMsg({ QueueName: "q", Message: 1 })).Data.EventId.length', 26],
  ['V8.MQ.SendMsg("q", { a: 1 }).Code', 1],
  code0('V8.MQ.SendMsg({ QueueName: "q", EventId: "x".repeat(129), Message: 1 })'),
  code0('V8.MQ.SendMsg({ QueueName: "q", EventId: "a\\nb", Message: 1 })'),
  code0('V8.MQ.SendMsg({ QueueName: "microi.other.q", Message: 1 })'),
  code0('V8.MQ.SendMsg({ QueueName: "q", OsClient: "other", Message: 1 })'),
  ['[V8.MQTT.Topic === undefined || V8.MQTT.Topic === null, typeof V8.MQTT.Publish]', [true, 'function']],
  ['/^[0-9a-f]{24}$/.test(V8.MongoDb.NewId())', true],
  code0('V8.MongoDb.AddFormData({ TableName: "t", _FormData: { a: 1 } })'),
  code0('V8.MongoDb.DelFormData({ DbName: "d", TableName: "t" })'),
  ['V8.Office.ExportExcel({}).ReasonCode', 'MEMBER_UNSUPPORTED'],
  ['(await V8.OCR.Recognize({})).ReasonCode', 'MEMBER_UNSUPPORTED'],
  ['V8.Tcp.Send({}).ReasonCode', 'MEMBER_UNSUPPORTED'],
];

const httpRows = (url: string): readonly Row[] => [
  [`V8.Http.Get({ Url: "${url}/a", GetParam: { q: 1 } })`, 'GET /a?q=1 '],
  [`V8.Http.Post({ Url: "${url}/a", PostParam: { x: 1, y: { z: 2 } } })`, 'POST /a x=1&y=%7B%22z%22%3A2%7D'],
  [`V8.Http.Post("${url}/a", { ParamType: "json", PostParamString: "{}" })`, 'POST /a {}'],
  [`V8.Http.Patch({ Url: "${url}/a", PatchParam: { x: 1 } })`, 'PATCH /a x=1'],
  [`V8.Http.Get({ Url: "${url}/missing" })`, 'GET /missing '],
  [`V8.Http.GetResponse({ Url: "${url}/missing" }).StatusCode`, 404],
  [`V8.Http.PostResponse({ Url: "${url}/a" }).Content`, 'POST /a '],
  [
    `V8.Http.GetResponse({ Url: "${url}/a" }).Headers.some((h) => h.Name.toLowerCase() === "date" && h.Value !== "")`,
    true,
  ],
  [`System.Convert.ToBase64String(V8.Http.GetResponse({ Url: "${url}/a" }).RawBytes)`, btoa('GET /a ')],
  [`typeof V8.Http.Get({ Url: "http://127.0.0.1:1/" })`, 'string'],
  [`V8.Http.GetResponse({ Url: "http://127.0.0.1:1/" }).StatusCode`, 0],
  [`V8.Http.GetResponse({ Url: "http://127.0.0.1:1/" }).ErrorMessage !== ""`, true],
  [`(await V8.Http.PatchResponseAsync({ Url: "${url}/a" })).StatusCode`, 200],
  [`(await V8.Http.GetAsync({ Url: "${url}/a" }))`, 'GET /a '],
  [`V8.Http.Get("${url}/bare")`, 'GET /bare '],
];

/** A script that answers the values of all expressions, one after another, and whether one failed. */
function scriptOf(rows: readonly Row[]): string {
  const steps = rows.map(
    ([expression]) =>
      `try { var value = ${expression}; values.push(value === undefined ? null : value); } catch (e) { values.push('${FAILED}'); }`,
  );
  return ['var values = [];', ...steps, 'return { Code: 1, Data: values };'].join('\n');
}

for (const [name, urlOf] of DATABASES) {
  describe(`services of scripts on ${name}`, () => {
    const groups = { CACHE, METHOD_AND_CRYPTO, DATES_AND_GLOBALS, MESSAGES_AND_OTHERS };
    for (const [group, rows] of Object.entries(groups)) {
      it(`are as their table says: ${group.toLowerCase().replaceAll('_', ' ')}`, async (t) => {
        const host = await openPatternHost(t, urlOf, { 'rows.js': scriptOf(rows) }, []);
        assertRows(rows, (await run(host, 'rows')).Data);
      });
    }

    it('are as their table says: http', async (t) => {
      const outside = await openOutside(t, ({ verb, path, body }) => ({
        status: path === '/missing' ? 404 : 200,
        body: `${verb} ${path} ${body}`,
      }));
      const rows = httpRows(outside.url);
      const host = await openPatternHost(t, urlOf, { 'rows.js': scriptOf(rows) }, [], outside.options);
      assertRows(rows, (await run(host, 'rows')).Data);
    });
  });
}

function assertRows(rows: readonly Row[], values: readonly unknown[]): void {
  const found = rows.map(([expression], index) => [expression, values[index]]);
  assert.deepEqual(
    found,
    rows.map(([expression, value]) => [expression, value ?? null]),
  );
}
