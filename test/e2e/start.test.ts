/** What a newcomer and a service manager see of the real host: banner, pasted commands, ports, exit codes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runCli } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { paste, SHELL_ENVIRONMENT, StartedProduct } from '../support/started-product.ts';
import { tempDir } from '../support/temp-dir.ts';

const DEFAULT_PORT = 7070;

describe('a start in an empty directory', () => {
  it('prints commands that work as they are pasted; the stock falls once; the next start keeps it', async (t) => {
    const cwd = tempDir(t);
    const first = new StartedProduct(t, cwd);
    const banner = await first.banner();
    checkHead(banner);
    const commands = banner.filter((line) => line.includes('npx v8host ')).map((line) => line.trim());
    const [order, again, stock, trace] = commands;
    assert.equal(commands.length, 4);
    assert.equal(order, again);
    await takeTheOrderTwice(order ?? '', cwd);
    await eventually(async () => assert.equal(await stockShown(stock ?? '', cwd), 98), 60_000);
    await eventually(async () => checkStory((await paste(trace ?? '', cwd)).out), 60_000);
    assert.deepEqual(await exitOf(first.stop()), 0);

    const second = new StartedProduct(t, cwd);
    assert.deepEqual((await second.banner()).slice(-4), banner.slice(-4));
    assert.doesNotMatch(second.out, /engines\.pushed/);
    assert.equal(await stockShown(stock ?? '', cwd), 98);
    checkStory((await paste(trace ?? '', cwd)).out);
    assert.deepEqual(await exitOf(second.stop()), 0);
  });

  it('speaks the language of the terminal', async (t) => {
    const product = new StartedProduct(t, tempDir(t), { env: { LANG: 'zh_CN.UTF-8' } });
    assert.ok((await product.banner()).some((line) => line.includes('库存只减少一次')));
    await product.stop();
  });

  it('leaves stdout to JSON lines where those are configured', async (t) => {
    const env = { V8HOST_LOG_FORMAT: 'json', V8HOST_HTTP_PORT: '0' };
    const product = new StartedProduct(t, tempDir(t), { env });
    await eventually(() => assert.match(product.out, /host\.started/), 60_000);
    const { code, out, err } = await product.stop();
    assert.equal(code, 0);
    for (const line of out.trimEnd().split('\n')) JSON.parse(line);
    assert.match(err, /^v8-engine-host /);
    assert.match(err, /for one set demo to true/);
    assert.match(err, /npx v8host push \.\/my-scripts --tenant demo/);
  });

  it('names a data directory that a command would not find by itself', async (t) => {
    const cwd = tempDir(t);
    const env = { V8HOST_DATA_DIR: "it's here", V8HOST_HTTP_PORT: '0', V8HOST_DEMO: 'true', V8HOST_TENANT: 'acme' };
    const product = new StartedProduct(t, cwd, { env });
    const commands = (await product.banner()).filter((line) => line.startsWith('  ')).map((line) => line.trim());
    const [setDirectory = '', order = ''] = commands;
    assert.match(setDirectory, /^export V8HOST_DATA_DIR=/);
    const { out } = await paste(`${setDirectory}\n${order}`, tempDir(t));
    assert.match(out, /"EventId": "order-A-1"/);
    await product.stop();
  });
});

describe('a port that is taken', () => {
  it('moves on when it is the default one, and says so', async (t) => {
    await holdPort(t, DEFAULT_PORT);
    const cwd = tempDir(t);
    const product = new StartedProduct(t, cwd);
    const banner = await product.banner();
    assert.ok(
      banner.some((line) => line.startsWith(`Port ${DEFAULT_PORT} is taken, listening at http://127.0.0.1:`)),
      banner.join('\n'),
    );
    assert.notEqual(banner[1], `http://127.0.0.1:${DEFAULT_PORT}`);
    // The commands find it all the same.
    assert.equal((await paste('npx v8host tenant list', cwd)).code, 0);
    await product.stop();
  });

  it('ends the start with 1 and the reason when it was configured', async (t) => {
    const port = await holdPort(t, 0);
    const { code, err } = await start(t, { V8HOST_HTTP_PORT: String(port) });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`Port ${port} is taken \\(http\\.port\\): choose another one`));
  });
});

describe('the exit code of a start', () => {
  it('is 1 for a data directory that another host uses, or that cannot be made', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    const locked = await start(t, { V8HOST_DATA_DIR: host.dataDir, V8HOST_HTTP_PORT: '0' });
    assert.equal(locked.code, 1);
    assert.match(locked.err, new RegExp(`used by another host process \\(pid ${host.pid}\\)`));
    assert.equal(await host.stop(), 0);

    const file = join(tempDir(t), 'file');
    writeFileSync(file, '');
    for (const dir of [file, join(file, 'below'), '/proc/none/data']) {
      const { code, err } = await start(t, { V8HOST_DATA_DIR: dir });
      assert.equal(code, 1, dir);
      assert.ok(err.includes(`The data directory ${dir} cannot be used (`), err);
    }
  });

  it('is 2 for a wrong configuration or command line, with everything that is wrong', async (t) => {
    const wrong = await start(t, { V8HOST_HTPP_PORT: '1', V8HOST_LANG: 'fr' });
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /V8HOST_HTPP_PORT: .*did you mean V8HOST_HTTP_PORT\?/);
    assert.match(wrong.err, /lang \(V8HOST_LANG\)/);
    const cwd = tempDir(t);
    assert.equal((await runCli(['start', '--config', 'none.json'], { cwd, env: SHELL_ENVIRONMENT })).code, 2);
    assert.equal((await runCli(['start', '--prot'], { cwd, env: SHELL_ENVIRONMENT })).code, 2);
  });

  it('is 3 when a run outlasts the time to drain', async (t) => {
    const host = await HostProcess.create(tempDir(t), { drainSeconds: 1, outbound: { allow: ['127.0.0.1'] } });
    t.after(() => host.kill());
    await host.start();
    const silent = await holdPort(t, 0);
    const text = `return V8.Http.PostResponse({ Url: 'http://127.0.0.1:${silent}/', Timeout: 50 });`;
    await host.api('PUT', 'tenants/demo/engines', {
      files: [{ path: 'slow.js', text: `/** @queue slow */\n${text}` }],
    });
    await host.cli('send', 'slow', '1');
    await eventually(async () => assert.equal((await host.health()).lanes.busy, 1));
    assert.equal(await host.stop(), 3);
  });

  it('is 4 for a database that a newer version has written', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    await host.stop();
    host.sql('demo', "INSERT INTO schema_migration (Version, Name, AppliedAt) VALUES (9999, 'later', 0)");
    host.spawn();
    await eventually(() => assert.equal(host.isRunning, false), 30_000);
    assert.equal(await host.stop(), 4);
    assert.match(host.output, /schema version 9999 is newer/);
  });
});

describe('a stop', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`by ${signal} to every process of the host lets what runs end`, async (t) => {
      const host = await HostProcess.create(tempDir(t), { outbound: { allow: ['127.0.0.1'] } });
      t.after(() => host.kill());
      await host.start();
      const gate = await openGate(t);
      const text = `/** @queue slow */\nreturn { Code: V8.Http.PostResponse({ Url: '${gate.url}' }).StatusCode === 200 ? 1 : 0 };`;
      await host.api('PUT', 'tenants/demo/engines', { files: [{ path: 'slow.js', text }] });
      await host.cli('send', 'slow', '1', '--event-id', 'slow-1');
      await gate.reached;
      for (const pid of [...host.lanes(), host.pid]) process.kill(pid, signal);
      await eventually(() => assert.match(host.output, /host\.drain_started/));
      gate.open();
      await eventually(() => assert.equal(host.isRunning, false), 30_000);
      assert.equal(await host.stop(), 0);
      const rows = host.sql('demo', "SELECT Verdict FROM mq_attempt WHERE EventId = 'slow-1'");
      assert.deepEqual(
        rows.map(({ Verdict }) => Verdict),
        ['done'],
      );
    });
  }
});

function checkHead([head = '', url = '']: readonly string[]): void {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const node = process.versions.node;
  assert.equal(
    head,
    `v8-engine-host ${version} · Node ${node} · tenant demo · SQLite, embedded queue · data ./data · Asia/Shanghai`,
  );
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
}

async function takeTheOrderTwice(order: string, cwd: string): Promise<void> {
  const taken = await paste(order, cwd);
  assert.deepEqual([taken.code, JSON.parse(taken.out)], [0, { OrderId: 'A-1', EventId: 'order-A-1' }]);
  assert.match(taken.err, /order accepted/);
  const repeated = await paste(order, cwd);
  assert.equal(repeated.code, 0);
  assert.match(repeated.err, /known order, sent again with the same EventId/);
}

async function stockShown(command: string, cwd: string): Promise<number> {
  const { code, out, err } = await paste(command, cwd);
  assert.equal(code, 0, err);
  return (JSON.parse(out) as { Stock: number }).Stock;
}

/** One run took effect, the repetition did not, and the story leads on to what was sent. */
function checkStory(story: string): void {
  assert.match(story, /^EventId order-A-1 · times in Asia\/Shanghai$/m);
  assert.equal(story.match(/stock-reserve@[0-9a-f]{12} {2}attempt 1 {2}done/g)?.length, 1, story);
  assert.equal(story.match(/stock-reserve {2,}attempt 1 {2}duplicate/g)?.length, 1, story);
  assert.match(story, /sent on to orders\.reserved: npx v8host trace reserved-A-1/);
}

async function exitOf(end: Promise<{ code: number | null }>): Promise<number | null> {
  return (await end).code;
}

/** Starts the host in an empty directory, for an end that it finds by itself. */
function start(t: TestContext, env: Record<string, string>) {
  return new StartedProduct(t, tempDir(t), { env }).end();
}

/** A server whose one answer waits until the test lets it go. */
async function openGate(t: TestContext): Promise<{ url: string; reached: Promise<unknown>; open: () => void }> {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createHttpServer((_request, response) => void opened.then(() => response.end('ok')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, reached: once(server, 'request'), open };
}

/** Listens and never answers; a port that another program holds already is as good. 0 takes any. @returns the port. */
async function holdPort(t: TestContext, port: number): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  const holder = createServer((socket) => sockets.add(socket)).listen(port, '127.0.0.1');
  // Rejects when somebody else holds the port, which serves as well.
  const listening = await once(holder, 'listening').then(
    () => true,
    () => false,
  );
  if (!listening) return port;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    holder.close();
  });
  return (holder.address() as AddressInfo).port;
}
