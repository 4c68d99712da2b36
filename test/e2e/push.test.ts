/** A script's way into the host: pushed from a directory, or written into the tables by hand. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const TABLES = JSON.stringify([{ Name: 'greeting', Fields: [{ Name: 'Text', Type: 'varchar(100)' }] }]);

/** Stores what it was sent. */
function greeter(header: string): string {
  return `/**\n * Stores a greeting.\n *\n${header} */
const { Name } = V8.Param.Message.Message;
return V8.FormEngine.AddFormData('greeting', { Text: 'hello ' + Name });
`;
}

describe('a directory of scripts', () => {
  it('is pushed, and its handler is called by the next message', async (t) => {
    const host = await startHost(t);
    const scripts = project(host, { 'greet.js': greeter(' * @queue greetings\n * @retry 2\n'), 'tables.json': TABLES });
    const pushed = await host.cli('push', scripts);
    assert.deepEqual([pushed.code, pushed.err], [0, '']);
    assert.equal(pushed.out, 'added: engine greet, queue greetings\ntables: greeting\n');
    const sent = await host.cli('send', 'greetings', '{"Name":"Li"}', '--event-id', 'g-1');
    assert.deepEqual([sent.code, sent.out], [0, 'g-1\n']);
    await eventually(() => assert.deepEqual(greetings(host), ['hello Li']));
    await eventually(async () => assert.match((await host.cli('trace', 'g-1')).out, /greet@[0-9a-f]{12} .* done/));
    const again = await host.cli('push', scripts);
    assert.equal(again.out, 'unchanged: engine greet, queue greetings\n');
  });

  it('is called in its new form by the message after a push', async (t) => {
    const host = await startHost(t);
    const scripts = project(host, { 'greet.js': greeter(' * @queue greetings\n'), 'tables.json': TABLES });
    await host.cli('push', scripts);
    writeFileSync(join(scripts, 'greet.js'), greeter(' * @queue greetings\n').replace('hello', 'welcome'));
    assert.equal((await host.cli('push', scripts)).out, 'changed: engine greet\nunchanged: queue greetings\n');
    await host.cli('send', 'greetings', '{"Name":"Li"}');
    await eventually(() => assert.deepEqual(greetings(host), ['welcome Li']));
  });

  it('is only checked with --dry-run', async (t) => {
    const host = await startHost(t);
    const scripts = project(host, { 'greet.js': greeter(' * @queue greetings\n'), 'tables.json': TABLES });
    const { code, out, err } = await host.cli('push', scripts, '--dry-run');
    assert.deepEqual([code, out], [0, 'added: engine greet, queue greetings\n']);
    assert.match(err, /nothing was written/);
    assert.equal((await host.cli('run', 'greet')).code, 4);
    assert.deepEqual(host.sql('demo', "SELECT name FROM sqlite_master WHERE name = 'greeting'"), []);
  });

  it('loses bindings only with --prune, and never those made by hand', async (t) => {
    const host = await startHost(t);
    const scripts = project(host, { 'a.js': greeter(' * @queue first\n'), 'b.js': greeter(' * @queue second\n') });
    await host.cli('push', scripts);
    bindByHand(host, 'third', 'a');
    rmSync(join(scripts, 'b.js'));
    await host.cli('push', scripts);
    assert.deepEqual(boundQueues(host), ['first', 'second', 'third']);
    assert.match((await host.cli('push', scripts, '--prune')).out, /^removed: queue second$/m);
    assert.deepEqual(boundQueues(host), ['first', 'third']);
  });

  it('is refused as a whole, every fault with its place', async (t) => {
    const host = await startHost(t);
    const scripts = project(host, {
      'a-tag.js': greeter(' * @queu greetings\n'),
      'b-syntax.js': '/** @queue greetings */\nif (true) {\n  return { Code: 1 ;\n}\n',
      'good.js': greeter(' * @queue good\n'),
    });
    const { code, out, err } = await host.cli('push', scripts);
    assert.deepEqual([code, out], [1, '']);
    const [summary, ...places] = err.trimEnd().split('\n');
    assert.match(summary ?? '', /nothing was written\. Errors to correct before the next try: 2\./);
    assert.match(places[0] ?? '', /^a-tag\.js:4 .*unknown tag @queu/);
    assert.match(places[1] ?? '', /^b-syntax\.js:3:20 syntax error: Unexpected token ';'$/);
    assert.equal((await host.cli('run', 'good')).code, 4);
    assert.deepEqual(boundQueues(host), []);
  });
});

describe('a row written into diy_queue_receive by hand', () => {
  it('is found when the host starts', async (t) => {
    const host = await startHost(t);
    await host.cli('push', project(host, { 'greet.js': greeter(''), 'tables.json': TABLES }));
    assert.equal(await host.stop(), 0);
    bindByHand(host, 'greetings', 'greet');
    await host.start();
    await host.cli('send', 'greetings', '{"Name":"Wang"}');
    await eventually(() => assert.deepEqual(greetings(host), ['hello Wang']));
  });

  it('is found by the running host, and so is its end', async (t) => {
    const host = await startHost(t);
    await host.cli('push', project(host, { 'greet.js': greeter(''), 'tables.json': TABLES }));
    await host.cli('send', 'greetings', '{"Name":"Zhao"}', '--event-id', 'early');
    assert.match((await host.cli('trace', 'early')).out, /No script has handled it yet/);
    bindByHand(host, 'greetings', 'greet');
    await eventually(() => assert.deepEqual(greetings(host), ['hello Zhao']));
    host.sql('demo', "UPDATE diy_queue_receive SET IsEnable = 0 WHERE QueueName = 'greetings'");
    await eventually(() => assert.match(host.output, /consumer\.detached/));
    await host.cli('send', 'greetings', '{"Name":"Qian"}', '--event-id', 'late');
    assert.match((await host.cli('trace', 'late')).out, /No script has handled it yet/);
  });
});

async function startHost(t: TestContext): Promise<HostProcess> {
  const host = await HostProcess.create(tempDir(t), { reconcileSeconds: 1 });
  t.after(() => host.kill());
  await host.start();
  return host;
}

/** A directory beside the host's data. */
function project(host: HostProcess, files: Readonly<Record<string, string>>): string {
  const directory = join(host.dataDir, 'my-scripts');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

function greetings(host: HostProcess): unknown[] {
  return host.sql('demo', 'SELECT Text FROM greeting ORDER BY CreateTime').map(({ Text }) => Text);
}

function boundQueues(host: HostProcess): unknown[] {
  return host.sql('demo', 'SELECT QueueName FROM diy_queue_receive ORDER BY QueueName').map((row) => row.QueueName);
}

/** As a person fills the platform's form: no column of ours. */
function bindByHand(host: HostProcess, queue: string, engineKey: string): void {
  const columns = 'Id, QueueName, Type, ApiEngineKey, FailToReject, Count, IsDeleted';
  host.sql(
    'demo',
    `INSERT INTO diy_queue_receive (${columns}) VALUES (?, ?, 1, ?, '否', 0, 0)`,
    queue,
    queue,
    engineKey,
  );
}
