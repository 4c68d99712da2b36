import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import { runCli } from '../support/command-line.ts';
import { startHost, TOKEN, temporaryDirectory } from './cli-process.ts';

describe('v8host tenant', () => {
  it('list prints a table', async (t) => {
    const { cli } = await startHost(t);
    const { code, out, err } = await cli('tenant', 'list');
    assert.deepEqual([code, err], [0, '']);
    assert.deepEqual(out.split('\n'), [
      'TENANT  MAIN  STATE        REASON',
      'demo    *     open',
      'Shop-1        unavailable  file is not a database',
      '',
    ]);
  });

  it('add creates one, with its database when given', async (t) => {
    const { services, cli } = await startHost(t);
    assert.equal((await cli('tenant', 'add', 'factory-1')).code, 0);
    assert.deepEqual(services.lastArgs(), ['factory-1', undefined]);
    assert.equal((await cli('tenant', 'add', 'factory-2', '--db', 'sqlite:x.db')).code, 0);
    assert.deepEqual(services.lastArgs(), ['factory-2', 'sqlite:x.db']);
  });

  it('add of one that exists fails with the reason', async (t) => {
    const { cli } = await startHost(t);
    const { code, out, err } = await cli('tenant', 'add', 'DEMO');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /Tenant DEMO exists already\. \(TENANT_EXISTS\)/);
  });
});

describe('v8host limits', () => {
  it('prints the limits of engines and what is paused, and nothing that is not', async (t) => {
    const { services, cli } = await startHost(t);
    const { code, out, err } = await cli('limits', '--tenant', 'demo');
    assert.deepEqual([code, err], [0, '']);
    assert.deepEqual(services.lastArgs(), ['demo', 'en']);
    const lines = out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    assert.deepEqual(lines.slice(0, 4), [
      'ENGINE | TIME (s) | CPU (s) | HEAP (MB) | NOTE',
      'fat | 7 | 10 | 128 | LimitMemory asks for 9999',
      '',
      'PAUSED | NAME | STATE | TRIED AGAIN',
    ]);
    assert.match(lines[4] ?? '', /^binding \| microi\.demo\.erp \| open \| 1970-01-01 /);
    assert.doesNotMatch(out, /microi\.demo\.ok/);
  });
});

describe('v8host run', () => {
  it('prints the data of the result', async (t) => {
    const { services, cli } = await startHost(t);
    services.runResult = { Code: 1, Data: { Sku: 'P-1', Stock: 98 }, Msg: '库存充足' };
    const { code, out, err } = await cli('run', 'stock-show', '--param', '{"Sku":"P-1"}');
    assert.deepEqual([code, JSON.parse(out), err], [0, { Sku: 'P-1', Stock: 98 }, '库存充足\n']);
    assert.deepEqual(services.lastArgs().slice(0, 3), ['demo', 'stock-show', { Sku: 'P-1' }]);
  });

  it('prints the whole result when there is more than data', async (t) => {
    const { services, cli } = await startHost(t);
    services.runResult = { Code: 1, Data: [1], DataCount: 40 };
    assert.deepEqual(JSON.parse((await cli('run', 'list')).out), services.runResult);
  });

  it("fails with the script's sentence when its Code is not 1", async (t) => {
    const { services, cli } = await startHost(t);
    services.runResult = { Code: 0, Msg: '库存不足' };
    const { code, out, err } = await cli('run', 'stock-reserve');
    assert.deepEqual([code, out, err], [1, '', '库存不足 (Code 0)\n']);
  });

  it('shows a sentence of several lines as lines', async (t) => {
    const { services, cli } = await startHost(t);
    services.runResult = { Code: 0, Msg: 'first\nsecond\u0007' };
    const { err } = await cli('run', 'a');
    assert.equal(err, 'first (Code 0)\n    second\\x07\n');
  });

  it('asks for sentences in the language of the terminal', async (t) => {
    const { services, cli } = await startHost(t);
    await cli('run', 'a');
    assert.equal(services.lastArgs()[3], 'en');
  });

  it("shows a throw with the stack of the script's lines", async (t) => {
    const { services, cli } = await startHost(t);
    const stack = 'at save (a.js:3:9)\nat a.js:7:1';
    services.failure = new AppError('SCRIPT_THREW', { message: 'Error: x', line: 3, column: 9, stack });
    const { code, err } = await cli('run', 'a');
    assert.equal(code, 1);
    assert.deepEqual(err.split('\n').slice(1, 3), ['    at save (a.js:3:9)', '    at a.js:7:1']);
  });

  it('reads the parameter from a file', async (t) => {
    const { services, cwd, cli } = await startHost(t);
    writeFileSync(join(cwd, 'p.json'), '\ufeff{"a":[1]}');
    assert.equal((await cli('run', 'a', '--param', '@p.json')).code, 0);
    assert.deepEqual(services.lastArgs()[2], { a: [1] });
    const missing = await cli('run', 'a', '--param', '@q.json');
    assert.equal(missing.code, 2);
    assert.match(missing.err, /q\.json cannot be read \(ENOENT\)/);
  });

  it('names where a parameter stops being JSON, and asks nobody', async (t) => {
    const { services, cli } = await startHost(t);
    const { code, err } = await cli('run', 'a', '--param', '{Sku:1}');
    assert.equal(code, 2);
    assert.match(err, /--param: The JSON is invalid at character 2/);
    assert.deepEqual(services.calls, []);
  });

  it('ends with 4 when there is no such tenant', async (t) => {
    const { cli } = await startHost(t);
    const { code, err } = await cli('run', 'a', '--tenant', 'other');
    assert.equal(code, 4);
    assert.match(err, /TENANT_UNKNOWN/);
  });
});

describe('v8host send', () => {
  it('sends the JSON as written and prints the EventId', async (t) => {
    const { services, cli } = await startHost(t);
    const json = '{"Id":12345678901234567890, "备注":"\\u8336"}';
    const { code, out } = await cli('send', 'orders', json, '--event-id', 'order "1"');
    assert.deepEqual([code, out], [0, 'order "1"\n']);
    assert.deepEqual(services.lastArgs(), ['demo', 'orders', { eventId: 'order "1"', messageJson: json }, 'en']);
  });

  it('lets the host make an EventId', async (t) => {
    const { services, cli } = await startHost(t);
    assert.match((await cli('send', 'orders', '5')).out, /^[0-9A-Z]{26}\n$/);
    assert.deepEqual(services.lastArgs()[2], { eventId: undefined, messageJson: '5' });
  });

  it('refuses text that is no JSON and says how to quote', async (t) => {
    const { cli } = await startHost(t);
    const { code, err } = await cli('send', 'orders', '{OrderId:1}');
    assert.equal(code, 2);
    assert.match(err, /quote the whole JSON/);
    const torn = await cli('send', 'orders', '{"a":1},', '"x":2}');
    assert.match(torn.err, /extra argument "x":2}/);
  });
});

describe('v8host trace', () => {
  it('tells the story: runs in their order, calls, retries, messages, logs', async (t) => {
    const { cli } = await startHost(t);
    const { code, out } = await cli('trace', 'order-A-1');
    assert.equal(code, 0);
    const expected = [
      /^EventId order-A-1 · times in Asia\/Shanghai$/m,
      /microi\.demo\.orders {2}done {2}stock-reserve {2}attempt 2/,
      /2026-11-29 20:00:00\.120 .*attempt 1 {2}parked {5}15 ms\n {6}SCRIPT_THREW: The script threw: Error: no stock\\x1b\[31m/,
      /^ {8}at save \(stock-reserve\.js:4:9\)$/m,
      /2026-11-29 20:00:02\.120 .*attempt 2 {2}done {7}30 ms\n {6}FormEngine\.UptFormDataByWhere {2}shop_stock .*Code 1 {2}3 ms/,
      /MQ\.SendMsg .*reserved-A 1 {2}Code 1 {2}1 ms/,
      /^ {6}sent on to orders\.reserved: npx v8host trace 'reserved-A 1'$/m,
      /stock-reserve {15}attempt 1 {2}duplicate {2}2 ms\n {6}handled before, not run again/,
      /cycle 1 {2}attempt 2 {2}resolved {2}retry\n {6}The event was handed over by hand\n {6}as it was/,
      /microi\.demo\.orders\.reserved {2}pending {2}1 {2}away$/m,
      /20:00:00 {2}received {2}microi\.demo\.orders {2}ok$/m,
      /info {2}script {2}reserved 2 of P-1\n {6}first\n {6}second/,
    ];
    let from = 0;
    for (const pattern of expected) {
      const at = out.slice(from).search(pattern);
      assert.ok(at >= 0, `${pattern} after ${from} in\n${out}`);
      from += at;
    }
  });

  it('leads from dead letters to their replay, and repeats the tenant in its commands', async (t) => {
    const { services, cli } = await startHost(t);
    const [row] = services.eventStory.parked;
    assert.ok(row);
    services.eventStory = { ...services.eventStory, parked: [{ ...row, state: 'dead' }] };
    const { out } = await cli('trace', 'order-A-1', '--tenant', 'demo');
    assert.match(out, /trace --tenant demo 'reserved-A 1'$/m);
    assert.match(out, /\nRun it again after the repair: npx v8host dead-letters replay --tenant demo order-A-1\n$/);
  });

  it('does not repeat in the lists what a run has told', async (t) => {
    const { services, cli } = await startHost(t);
    const { parked, attempts } = services.eventStory;
    const [row] = parked;
    const failed = attempts.find(({ verdict }) => verdict === 'parked');
    assert.ok(row && failed);
    const error = `${failed.message}\nEvery attempt is used up`;
    services.eventStory = { ...services.eventStory, parked: [{ ...row, error }] };
    const { out } = await cli('trace', 'order-A-1');
    assert.equal(out.split('at save (stock-reserve.js:4:9)').length, 2);
  });

  it('says what is missing when a message was sent and nothing took it', async (t) => {
    const { services, cli } = await startHost(t);
    services.eventStory = { ...services.eventStory, inbox: [], attempts: [], parked: [] };
    assert.match((await cli('trace', 'order-A-1')).out, /No script has handled it yet: .*@queue/);
  });

  it('ends with 4 for an event nobody has heard of', async (t) => {
    const { cli } = await startHost(t);
    const { code, err } = await cli('trace', 'nothing/here');
    assert.equal(code, 4);
    assert.match(err, /EventId nothing\/here was not found/);
  });
});

describe('v8host dead-letters', () => {
  it('list prints a table with wide characters in line', async (t) => {
    const { services, cli } = await startHost(t);
    const [row] = services.parked;
    assert.ok(row);
    services.parked = [{ ...row, eventId: '订单-1' }, row];
    const { code, out } = await cli('dead-letters', 'list', '--queue', 'demo.broken', '--limit', '7');
    assert.equal(code, 0);
    assert.deepEqual(services.lastArgs()[1], { state: 'dead', queue: 'demo.broken', limit: 7 });
    const lines = out.split('\n');
    assert.match(lines[0] ?? '', /TIME \(Asia\/Shanghai\)/);
    assert.match(lines[1] ?? '', /demo\.broken {2}订单-1 {4}2 {8}budget-exhausted {2}2026-11-29 20:00:05\.120/);
    assert.match(lines[1] ?? '', /Error: never works$/);
    assert.match(lines[2] ?? '', /demo\.broken {2}broken-1 {2}2 {8}budget-exhausted/);
  });

  it('list says so when there are none', async (t) => {
    const { services, cli } = await startHost(t);
    services.parked = [];
    const { code, out, err } = await cli('dead-letters', 'list');
    assert.deepEqual([code, out, err], [0, '', 'No such messages\n']);
  });

  it('list ends with 2 for a state or a limit that is none', async (t) => {
    const { cli } = await startHost(t);
    assert.equal((await cli('dead-letters', 'list', '--limit', 'x')).code, 2);
    assert.equal((await cli('dead-letters', 'list', '--state', 'gone')).code, 2);
  });

  it('replay takes an EventId, a queue or --all, and not nothing', async (t) => {
    const { services, cli } = await startHost(t);
    const done = await cli('dead-letters', 'replay', 'broken-1');
    assert.deepEqual([done.code, done.err], [0, 'Replayed: 1\n']);
    assert.deepEqual(services.lastArgs()[1], { eventId: 'broken-1' });
    await cli('dead-letters', 'replay', '--queue', 'orders');
    assert.deepEqual(services.lastArgs()[1], { queue: 'orders' });
    await cli('dead-letters', 'replay', '--all');
    assert.deepEqual(services.lastArgs()[1], { all: true });
    assert.equal((await cli('dead-letters', 'replay')).code, 2);
  });

  it('groups, show, edit and purge speak to their routes', async (t) => {
    const { services, cli } = await startHost(t);
    const groups = await cli('dead-letters', 'groups');
    assert.match(groups.out, /0123456789abcdef {2}3 +budget-exhausted .*no stock for <id>/);
    const shown = await cli('dead-letters', 'show', 'broken-1');
    assert.equal(shown.code, 0);
    assert.match(shown.out, /EventId +broken-1[\s\S]*always-fails@abcdef012345[\s\S]*"品名": "茶"/);
    assert.equal((await cli('dead-letters', 'show', 'unknown')).code, 4);
    const edited = await cli('dead-letters', 'edit', 'broken-1', '--message', '{"n":12345678901234567890}');
    assert.deepEqual([edited.code, edited.out], [0, 'broken-1\n']);
    assert.deepEqual(services.lastArgs()[2], { messageJson: '{"n":12345678901234567890}' });
    assert.equal((await cli('dead-letters', 'edit', 'broken-1')).code, 2);
    const purged = await cli('dead-letters', 'purge', '--group', '0123456789abcdef', '--older-than', '1');
    assert.deepEqual([purged.code, purged.err], [0, 'Purged: 1\n']);
    assert.deepEqual(services.lastArgs()[1], { group: '0123456789abcdef', olderThanMs: 86_400_000 });
    assert.equal((await cli('dead-letters', 'purge')).code, 2);
    assert.equal((await cli('dead-letters', 'purge', '--older-than', 'x')).code, 2);
  });

  it('try shows every effect that a run would have', async (t) => {
    const { services, cli } = await startHost(t);
    const { code, out } = await cli('dead-letters', 'try', 'broken-1', '--engine', 'other', '--allow-http');
    assert.equal(code, 0);
    assert.deepEqual(services.lastArgs()[1], { eventId: 'broken-1', engineKey: 'other', allowHttp: true });
    for (const part of [
      'It would fail now, and become a dead letter:\n  The script returned Code 0: no',
      'shop_stock\n  + Id="r2" Sku="P-2"\n  ~ r1\n      Stock  3  →  1',
      'microi.demo.next n-1\n    {"a":1}',
      'POST http://erp/orders not sent (--allow-http sends)',
      'set Microi:demo:k',
      'always-fails: hello',
      'All of it was undone.',
    ]) {
      assert.ok(out.includes(part), `${part}\n---\n${out}`);
    }
    assert.equal((await cli('dead-letters', 'try')).code, 2);
  });

  it('replay prints why a message stayed', async (t) => {
    const { services, cli } = await startHost(t);
    services.replayed = 0;
    const key = { queue: 'q', eventId: 'e-9', cycle: 1, attempt: 1 };
    services.refusedReplays = [{ ...key, error: { code: 'DEAD_LETTER_DONE', params: { eventId: 'e-9' } } }];
    const { code, err } = await cli('dead-letters', 'replay', 'e-9');
    assert.equal(code, 4);
    assert.match(err, /^Replayed: 0\ne-9 was done before; a replay would not run\.\n$/);
  });

  it('replay ends with 4 when the event is not among them', async (t) => {
    const { services, cli } = await startHost(t);
    services.replayed = 0;
    assert.equal((await cli('dead-letters', 'replay', 'unknown')).code, 4);
    assert.equal((await cli('dead-letters', 'replay', '--all')).code, 0);
  });
});

describe('v8host push', () => {
  it('sends scripts and tables, without packages and hidden files', async (t) => {
    const { services, cwd, cli } = await startHost(t);
    for (const folder of ['scripts/sub', 'scripts/node_modules/x', 'scripts/.git']) {
      mkdirSync(join(cwd, folder), { recursive: true });
    }
    for (const path of [
      'b.js',
      'sub/a.js',
      'tables.json',
      'sub/tables.json',
      'README.md',
      'node_modules/x/i.js',
      '.git/h.js',
    ]) {
      writeFileSync(join(cwd, 'scripts', path), `// ${path} 中文`);
    }
    const { code, out, err } = await cli('push', 'scripts', '--prune', '--dry-run');
    assert.deepEqual(services.lastArgs()[1], {
      files: ['b.js', 'sub/a.js', 'tables.json'].map((path) => ({ path, text: `// ${path} 中文` })),
      prune: true,
      dryRun: true,
    });
    assert.equal(code, 0);
    assert.equal(out, 'added: b.js, sub/a.js, tables.json\nunchanged: old\ntables: shop_stock\n');
    assert.match(err, /nothing was written/);
  });

  it('warns of what it leaves out of tables that are there', async (t) => {
    const { services, cwd, cli } = await startHost(t);
    writeFileSync(join(cwd, 'a.js'), 'x');
    services.leftOut = [{ table: 'parcel', fields: ['Grams', 'Colour'], rows: [0, 2] }];
    const { code, err } = await cli('push', '.');
    assert.equal(code, 0);
    assert.equal(
      err,
      'warning: table parcel is there already and stays as it is; left out of tables.json: fields Grams, Colour; Rows[0], Rows[2]\n',
    );
    assert.deepEqual(JSON.parse((await cli('push', '.', '--json')).out).Data.leftOut, services.leftOut);
  });

  it('prints every refusal as file:line:column', async (t) => {
    const { services, cwd, cli } = await startHost(t);
    writeFileSync(join(cwd, 'a.js'), 'x');
    services.refusals = [
      { code: 'SCRIPT_SYNTAX', params: { file: 'a.js', line: 3, column: 7, message: 'Unexpected token' } },
      { code: 'BINDING_INVALID', params: { file: 'a.js', line: 2, queue: 'q', field: 'Count', rule: 'r' } },
    ];
    const { code, out, err } = await cli('push', '.');
    assert.deepEqual([code, out], [1, '']);
    const lines = err.split('\n');
    assert.match(lines[0] ?? '', /PUSH_REFUSED/);
    assert.equal(lines[2], 'a.js:3:7 syntax error: Unexpected token');
    assert.equal(lines[1], 'a.js:2 Binding of queue q: Count is invalid: r');
  });

  it('refuses what cannot be pushed before asking the host', async (t) => {
    const { services, cwd, cli } = await startHost(t);
    assert.match((await cli('push', 'missing')).err, /missing cannot be read \(ENOENT\)/);
    assert.match((await cli('push', '.')).err, /holds no \.js file/);
    writeFileSync(join(cwd, 'gbk.js'), Buffer.from([0xd6, 0xd0]));
    const { code, err } = await cli('push', '.');
    assert.equal(code, 2);
    assert.match(err, /gbk\.js is not UTF-8/);
    assert.deepEqual(services.calls, []);
  });
});

describe('--json', () => {
  it('prints the DosResult as it came, success and failure', async (t) => {
    const { services, cli } = await startHost(t);
    services.runResult = { Code: 1, Data: null };
    assert.deepEqual(await cli('run', 'a', '--json'), {
      code: 0,
      signal: null,
      out: '{"Code":1,"Data":null}\n',
      err: '',
    });
    const failed = await cli('run', 'a', '--json', '--tenant', 'other');
    assert.equal(failed.code, 4);
    assert.equal(JSON.parse(failed.out).ReasonCode, 'TENANT_UNKNOWN');
    assert.equal(failed.err, '');
  });
});

describe('languages', () => {
  it('are 中文 by LANG, for messages of the host too', async (t) => {
    const { url, cwd } = await startHost(t);
    const env = { V8HOST_URL: url, V8HOST_TOKEN: TOKEN, LANG: 'zh_CN.UTF-8' };
    assert.match((await runCli(['trace', 'x'], { cwd, env })).err, /没有找到 EventId x。/);
    assert.match((await runCli(['trase', 'x'], { cwd, env })).err, /没有命令 trase，是否指 trace？/);
    assert.match((await runCli(['trace', 'x'], { cwd, env: { ...env, LC_ALL: 'C' } })).err, /EventId x was not found/);
  });
});

describe('finding the host', () => {
  it('takes address and token that the host wrote into its data directory', async (t) => {
    const { url, cwd } = await startHost(t);
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', 'host.json'), JSON.stringify({ url, pid: 1 }));
    writeFileSync(join(cwd, 'data', 'admin.token'), `${TOKEN}\n`);
    assert.equal((await runCli(['tenant', 'list'], { cwd })).code, 0);
    const elsewhere = temporaryDirectory(t);
    const env = { V8HOST_DATA_DIR: join(cwd, 'data') };
    assert.equal((await runCli(['tenant', 'list'], { cwd: elsewhere, env })).code, 0);
    writeFileSync(join(elsewhere, 'c.json'), JSON.stringify({ dataDir: join(cwd, 'data'), tenant: 'configured' }));
    const { code, err } = await runCli(['trace', 'x', '--config', 'c.json'], { cwd: elsewhere });
    assert.equal(code, 4);
    assert.match(err, /Tenant configured does not exist/);
  });

  it('says which token is wanted when it has none', async (t) => {
    const { url, cwd } = await startHost(t);
    const { code, err } = await runCli(['tenant', 'list', '--url', url], { cwd });
    assert.equal(code, 1);
    assert.match(err, /--token or V8HOST_TOKEN/);
  });

  it('ends with 3 when nothing listens there', async (t) => {
    const cwd = temporaryDirectory(t);
    const { code, out, err } = await runCli(['tenant', 'list', '--url', 'http://127.0.0.1:1'], { cwd });
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /http:\/\/127\.0\.0\.1:1 cannot be reached.*v8host start/);
    const json = await runCli(['tenant', 'list', '--json', '--url', 'http://127.0.0.1:1'], { cwd });
    assert.equal(json.code, 3);
    assert.equal(JSON.parse(json.out).ReasonCode, 'HOST_UNREACHABLE');
  });

  it('refuses an address that is none', async (t) => {
    const cwd = temporaryDirectory(t);
    for (const url of ['localhost', 'ftp://x', 'http://x/api', 'http://user:pw@x']) {
      const { code, err } = await runCli(['tenant', 'list', '--url', url], { cwd });
      assert.equal(code, 2, url);
      assert.match(err, /--url looks like/);
    }
  });
});

describe('v8host mqtt bind, bindings and unbind', () => {
  it('bind says where messages go, and that nobody handles them yet', async (t) => {
    const { services, cli } = await startHost(t);
    const bound = await cli('mqtt', 'bind', 'sensor/+', 'readings', '--event-id', 'head.id');
    assert.deepEqual([bound.code, bound.out], [0, '']);
    assert.match(
      bound.err,
      /tenant\/demo\/sensor\/\+ go into the queue readings from now on\s+No engine handles the queue readings/,
    );
    assert.deepEqual(services.lastArgs()[2], { filter: 'sensor/+', queue: 'readings', eventIdPath: 'head.id' });
    const json = await cli('mqtt', 'bind', 'sensor/+', 'readings', '--json');
    assert.equal(JSON.parse(json.out).Data.id, 't1');
    assert.equal((await cli('mqtt', 'bind', 'sensor/+')).code, 2);
  });

  it('bindings prints a table, or that there is none', async (t) => {
    const { services, cli } = await startHost(t);
    const { code, out } = await cli('mqtt', 'bindings');
    assert.equal(code, 0);
    assert.deepEqual(
      out.split('\n').map((line) => line.replace(/ {2,}/g, ' | ')),
      ['TOPIC | QUEUE | ENGINE | EVENTID | STATE | NOTE', 'tenant/demo/sensor/+ | readings | - | head.id | on', ''],
    );
    services.topicBindings = [];
    assert.match((await cli('mqtt', 'bindings')).err, /No topic is bound/);
  });

  it('unbind finds the binding by any form of its topic', async (t) => {
    const { services, cli } = await startHost(t);
    for (const filter of ['sensor/+', '/sensor/+', 'demo/sensor/+', 'tenant/demo/sensor/+']) {
      assert.equal((await cli('mqtt', 'unbind', filter)).code, 0, filter);
      assert.equal(services.lastArgs()[2], 't1');
    }
    const other = await cli('mqtt', 'unbind', 'other/+');
    assert.equal(other.code, 4);
    assert.match(other.err, /other\/\+ is not bound/);
  });
});
