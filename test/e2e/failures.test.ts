/** Why a handler failed: `run`, `trace` and `dead-letters` say what happened, where, and what to change. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';

interface Failure {
  readonly name: string;
  /** From line 5 of the file on. */
  readonly body: string;
  readonly code: string;
  /** What happened and what to change. */
  readonly says: RegExp;
  /** Where: the script's own lines. */
  readonly stack?: readonly string[];
}

const FAILURES: readonly Failure[] = [
  {
    name: 'throws',
    body: 'function total(order) {\n  return order.Lines.length;\n}\ntotal({});\nreturn { Code: 1 };',
    code: 'SCRIPT_THREW',
    says: /TypeError: Cannot read properties of undefined \(reading 'length'\) \[行:6, 列:22\]/,
    stack: ['at total (throws.js:6:22)', 'at throws.js:8:1'],
  },
  {
    name: 'handmade',
    body: 'return { Code: 1 };',
    code: 'SCRIPT_SYNTAX',
    says: /handmade\.js:2:10 syntax error: Unexpected token '='/,
  },
  {
    name: 'computes',
    body: 'while (true) {}',
    code: 'V8_CPU_LIMIT',
    says: /more than 1000 ms of CPU .*look for an endless loop/,
  },
  {
    name: 'collects',
    body: "var rows = []; while (true) rows.push(new Array(1000).fill('x'));",
    code: 'V8_MEMORY_LIMIT',
    says: /passed 16 MB of memory .*read in pages/,
  },
  {
    name: 'returns-much',
    body: "return { Code: 1, Data: 'x'.repeat(2000000) };",
    code: 'V8_RESULT_TOO_LARGE',
    says: /has 2000020 bytes, the limit is 1048576: use pages/,
  },
  {
    name: 'waits',
    body: "for (;;) V8.Http.PostResponse({ Url: 'http://127.0.0.1:PORT/', Timeout: 50 });",
    code: 'V8_TIMEOUT',
    says: /passed \d+000 ms .*raise TimeoutSeconds/,
  },
  {
    name: 'returns-nothing',
    body: 'V8.Param.Message;',
    code: 'SCRIPT_NO_CODE',
    says: /returns-nothing did not return \{Code:1\} .*return \{Code:1\} explicitly/,
  },
];

const directory = mkdtempSync(join(tmpdir(), 'v8host-failures-'));
const sockets = new Set<Socket>();
let silent: Server;
let host: HostProcess;

before(async () => {
  silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const run = { wallSeconds: 25, cpuSeconds: 1, heapMb: 16 };
  host = await HostProcess.create(directory, { lang: 'en', run, outbound: { allow: ['127.0.0.1'] } });
  await host.start();
  await pushAll();
});

after(async () => {
  await host.kill();
  for (const socket of sockets) socket.destroy();
  silent.close();
  rmSync(directory, { recursive: true, force: true });
});

for (const failure of FAILURES) {
  const { name, code, says, stack = [] } = failure;
  describe(`a script that ${name}: ${code}`, () => {
    it('tells whoever runs it', async () => {
      if (code === 'SCRIPT_NO_CODE') return assert.equal((await host.cli('run', name)).out, 'null\n');
      const end = await host.cli('run', name);
      assert.deepEqual([end.code, end.out], [1, '']);
      assert.match(end.err, says);
      assert.ok(end.err.includes(`(${code})`), end.err);
      for (const line of stack) assert.ok(end.err.includes(`\n    ${line}\n`), end.err);
    });

    it('tells the story of its message', async () => {
      await host.cli('send', `f.${name}`, '{}', '--event-id', `${name}-1`);
      await eventually(async () => assert.match((await host.cli('trace', `${name}-1`)).out, / dead /), 60_000);
      const { out } = await host.cli('trace', `${name}-1`);
      assert.match(out, says);
      assert.ok(out.includes(`\n      ${code}: `), out);
      for (const line of stack) assert.ok(out.includes(`\n        ${line}\n`), out);
      assert.match(out, new RegExp(`replay ${name}-1\\n$`));
    });

    it('stands among the dead letters, on one line', async () => {
      const { out } = await host.cli('dead-letters', 'list', '--queue', `f.${name}`);
      const [, row = '', end] = out.split('\n');
      assert.equal(end, '');
      assert.match(row, new RegExp(`^microi\\.demo\\.f\\.${name} +${name}-1 `));
      const { Data } = JSON.parse((await host.cli('dead-letters', 'list', '--queue', `f.${name}`, '--json')).out);
      assert.match(Data[0].error, says);
      for (const line of stack) assert.ok(Data[0].error.includes(`\n${line}\n`), Data[0].error);
    });
  });
}

async function pushAll(): Promise<void> {
  const scripts = join(directory, 'scripts');
  mkdirSync(scripts);
  const { port } = silent.address() as AddressInfo;
  for (const { name, body } of FAILURES) {
    // Time is short for the one that waits; the others must reach the limit that they are about.
    const timeout = name === 'waits' ? '2s' : '1m';
    const header = `/**\n * @queue f.${name}\n * @timeout ${timeout}\n */\n`;
    writeFileSync(join(scripts, `${name}.js`), `${header}${body.replace('PORT', String(port))}\n`);
  }
  const { code, err } = await host.cli('push', scripts);
  assert.equal(code, 0, err);
  // A syntax error gets in past the push only: by a row that is written by hand.
  const source = 'var a = 1;\nif (a ==== 1) return { Code: 1 };\n';
  host.sql('demo', "UPDATE sys_apiengine SET ApiV8Code = ? WHERE ApiEngineKey = 'handmade'", source);
}
