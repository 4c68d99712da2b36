import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOW_MS, ScriptRun } from '../support/script-run.ts';

const LOG = 'Method.AddSysLog';

describe('V8.Method', () => {
  it('gives ids of the host and the time in Unix seconds', async () => {
    const run = new ScriptRun();
    assert.equal(await run.call('Method.NewUlid'), '01TEST00000000000000000001');
    assert.equal(await run.call('Method.NewGuid'), '0b0e7a52-0000-4000-8000-000000000000');
    assert.equal(await run.call('Method.GetTimestamp'), Math.floor(NOW_MS / 1000));
  });
});

describe('V8.Method.AddSysLog', () => {
  it('writes every field and answers Code 1', async () => {
    const run = new ScriptRun();
    const entry = {
      Type: 'erp',
      Title: 't',
      Content: 'c',
      OtherInfo: 'o',
      Remark: 'r',
      Api: 'a',
      Param: 'p',
      Level: 3,
    };
    assert.equal((await run.result(LOG, entry)).Code, 1);
    assert.deepEqual(run.sysLogs, [
      { type: 'erp', title: 't', content: 'c', otherInfo: 'o', remark: 'r', api: 'a', param: 'p', level: 3 },
    ]);
  });

  it('takes objects as JSON, odd levels as info, and nothing at all', async () => {
    const run = new ScriptRun();
    await run.result(LOG, { Content: { a: [1] }, Title: 5, Level: 'high' });
    await run.result(LOG, {});
    assert.deepEqual(run.sysLogs, [
      { type: '', title: '5', content: '{"a":[1]}', level: 1 },
      { type: '', title: '', content: '', level: 1 },
    ]);
  });

  it('reads the level as text too', async () => {
    const run = new ScriptRun();
    await run.result(LOG, { Content: 'c', Level: '2' });
    assert.equal(run.sysLogs[0]?.level, 2);
  });

  it('cuts what is too long for the log', async () => {
    const run = new ScriptRun();
    await run.result(LOG, { Title: 'x'.repeat(300), Content: 'y'.repeat(100_000) });
    assert.equal(run.sysLogs[0]?.title.length, 255);
    assert.equal(run.sysLogs[0]?.content.length, 65_536);
  });

  it('answers Code 0 when there is no entry to read', async () => {
    const run = new ScriptRun();
    assert.equal((await run.result(LOG, 'only text')).ReasonCode, 'PARAM_INVALID');
    assert.equal((await run.result(LOG)).Code, 0);
    assert.deepEqual(run.sysLogs, []);
  });
});

describe('V8.Method signatures', () => {
  const SIGNATURES: readonly [
    name: 'HmacSha1Sign' | 'HmacSha256Sign' | 'Md5Sign' | 'Md5SignHex',
    args: unknown[],
    value: string,
  ][] = [
    ['HmacSha1Sign', ['what do ya want for nothing?', 'Jefe'], '7/zfauXrL6LSdBbV8YTfnCWafHk='],
    ['HmacSha256Sign', ['what do ya want for nothing?', 'Jefe'], 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM='],
    ['Md5Sign', ['abc'], 'kAFQmDzST7DWlj99KOF/cg=='],
    ['Md5SignHex', ['abc'], '900150983cd24fb0d6963f7d28e17f72'],
  ];
  for (const [name, args, value] of SIGNATURES) {
    it(`${name} agrees with RFC 2202, 4231, 1321`, async () => {
      assert.equal(await new ScriptRun().call(`Method.${name}`, ...args), value);
    });
  }

  it('needs data and key', async () => {
    assert.equal((await new ScriptRun().result('Method.HmacSha256Sign', 'data')).ReasonCode, 'PARAM_MISSING');
    assert.equal((await new ScriptRun().result('Method.Md5Sign')).ReasonCode, 'PARAM_MISSING');
  });
});

describe('V8.Method.GetCurrentToken', () => {
  it('says who runs the script and shows no token', async () => {
    const run = new ScriptRun({ user: { id: 'u1', name: 'Li' } });
    assert.deepEqual(await run.call('Method.GetCurrentToken'), {
      OsClient: 'Acme',
      CurrentUser: { Id: 'u1', Name: 'Li' },
      Token: '',
    });
  });

  it('is null without a user and for a token that a script presents', async () => {
    assert.equal(await new ScriptRun().call('Method.GetCurrentToken'), null);
    const run = new ScriptRun({ user: { id: 'u1', name: 'Li' } });
    assert.equal(await run.call('Method.GetCurrentToken', 'Bearer x', 'other'), null);
  });
});

describe('V8.Method.ParseWhere', () => {
  it('turns the array form into objects and refuses what is none', async () => {
    const run = new ScriptRun();
    assert.deepEqual(await run.call('Method.ParseWhere', [['Sku', '=', 'P-1']]), [
      { Name: 'Sku', Value: 'P-1', Type: '=', AndOr: 'And', GroupStart: false, GroupEnd: false },
    ]);
    assert.equal((await run.result('Method.ParseWhere', [['Sku', '=']])).ReasonCode, 'WHERE_INVALID');
  });
});

describe('V8.Action.Sleep', () => {
  it('waits as long as asked, and no longer than a moment beyond the run', async () => {
    const waits: number[] = [];
    const run = new ScriptRun({ remainingMs: 5000 });
    run.context.clock.sleep = async (ms) => void waits.push(ms);
    assert.equal(await run.call('Action.Sleep', 20), null);
    await run.call('Action.Sleep', '30');
    await run.call('Action.Sleep', 60_000);
    assert.deepEqual(waits, [20, 30, 10_000]);
    assert.equal(run.consoleLines.length, 1);
  });

  it('refuses what is no time', async () => {
    for (const ms of [-1, 'x', null, {}]) {
      assert.equal((await new ScriptRun().result('Action.Sleep', ms)).ReasonCode, 'PARAM_INVALID', String(ms));
    }
  });
});
