/** A backup of a host at work holds neither too much nor too little: restored, every effect is there once. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const MESSAGES = 60;

/** Slow enough for a backup to come in the middle. */
const ORDER = `/** @queue order */
for (const end = Date.now() + 50; Date.now() < end; );
const { Id } = V8.Param.Message.Message;
V8.FormEngine.AddFormData('effect', { Step: 'order', Word: Id });
return V8.MQ.SendMsg('ship', { Id });
`;
const SHIP = `/** @queue ship */
return V8.FormEngine.AddFormData('effect', { Step: 'ship', Word: V8.Param.Message.Message.Id });
`;
const TABLES = [{ Name: 'effect', Fields: ['Step', 'Word'].map((Name) => ({ Name, Type: 'varchar(50)' })) }];

it('a backup made while messages are handled is restored without a loss and without a second effect', async (t) => {
  const host = await startHost(t, tempDir(t));
  writeProject(host);
  assert.equal((await host.cli('push', join(host.dataDir, 'scripts'))).code, 0);
  const ids = Array.from({ length: MESSAGES }, (_, i) => `order-${i}`);
  await sendAll(host, ids);
  await eventually(() => assert.ok(effects(host).length > 5));
  const dir = join(tempDir(t), 'copy');
  const made = await host.cli('backup', '--to', dir);
  assert.deepEqual([made.code, made.out.trim()], [0, dir]);
  const before = effects(host).length;
  assert.ok(before < MESSAGES * 2, 'everything was done before the backup: it proved nothing');
  assert.match(
    (await host.cli('restore', dir, '--config', join(host.dataDir, 'v8host.config.json'))).err,
    /HOST_LOCKED/,
  );
  await host.kill();

  const other = await HostProcess.create(tempDir(t), { reconcileSeconds: 1 });
  t.after(() => other.kill());
  const restored = await other.cli('restore', dir, '--config', join(other.dataDir, 'v8host.config.json'));
  assert.equal(restored.code, 0, restored.err);
  await other.start();
  // Whoever got no answer sends again.
  await sendAll(other, ids);
  await eventually(() =>
    assert.deepEqual(effects(other), [...ids.map((id) => `order ${id}`), ...ids.map((id) => `ship ${id}`)].sort()),
  );
});

it('neither start nor migrate works on what a restore left that was cut short', async (t) => {
  const host = await HostProcess.create(tempDir(t));
  writeFileSync(join(host.dataDir, 'restore.unfinished'), '');
  for (const command of ['start', 'migrate']) {
    const { code, err } = await host.cli(command, '--config', join(host.dataDir, 'v8host.config.json'));
    assert.equal(code, 1, command);
    assert.match(err, /restore was cut short.*--replace/, command);
  }
  assert.equal(existsSync(join(host.dataDir, 'tenants')), false);
});

async function startHost(t: TestContext, dir: string): Promise<HostProcess> {
  const host = await HostProcess.create(dir, { reconcileSeconds: 1 });
  t.after(() => host.kill());
  await host.start();
  return host;
}

function writeProject(host: HostProcess): void {
  const directory = join(host.dataDir, 'scripts');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'order.js'), ORDER);
  writeFileSync(join(directory, 'ship.js'), SHIP);
  writeFileSync(join(directory, 'tables.json'), JSON.stringify(TABLES));
}

async function sendAll(host: HostProcess, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status } = await host.api('POST', 'tenants/demo/queues/order/messages', {
      EventId: id,
      Message: { Id: id },
    });
    assert.equal(status < 300, true, `${id}: ${status}`);
  }
}

function effects(host: HostProcess): string[] {
  return host
    .sql('demo', 'SELECT Step, Word FROM effect')
    .map(({ Step, Word }) => `${Step} ${Word}`)
    .sort();
}
