/** `Type` 2 rows: modules that the operator registered and pinned, for the main tenant only. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ModuleFiles } from '../../src/adapters/modules/module-files.ts';
import { attemptsOf, deadOf, storeOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';

const MODULE = `export default async (message, host) => {
  const { Kind } = message.Message;
  if (Kind === 'careless') {
    for (const n of [1, 2, 3, 4, 5]) host.call('FormEngine.AddFormData', 'effect', { EventId: host.eventId + n });
    return { Code: 1 };
  }
  if (Kind === 'odd') {
    const odd = await host.call('FormEngine.AddFormData', 'effect', { EventId: 1n });
    const engine = await host.call('ApiEngine.Run', 'onward');
    if (odd.Code !== 0 || engine.Code !== 0) throw new Error('these cannot be made');
    return host.call('FormEngine.AddFormData', 'effect', { EventId: host.eventId });
  }
  if (Kind === 'throw') throw new TypeError('no such kind');
  await host.call('FormEngine.AddFormData', 'effect', { EventId: host.eventId });
  await host.call('MQ.SendMsg', { QueueName: 'onward', EventId: 'on-' + host.eventId, Message: {} });
  if (Kind === 'hang') await new Promise((resolve) => host.signal.addEventListener('abort', resolve));
  if (Kind === 'refuse') return { Code: 0, Msg: 'not today' };
  return Kind === 'nothing' ? undefined : { Code: 1, Data: host.tenant };
};
`;

const ONWARD = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function open(t: TestContext, options: TestHostOptions = {}) {
  const dataDir = tempDir(t);
  const dir = join(dataDir, 'modules');
  mkdirSync(dir);
  writeFileSync(join(dir, 'erp.mjs'), MODULE);
  writeFileSync(join(dataDir, 'secret.mjs'), MODULE);
  symlinkSync(join(dataDir, 'secret.mjs'), join(dir, 'link.mjs'));
  const pin = { sha256: sha256(MODULE) };
  const registered = new Map([
    ['erp', { file: 'erp.mjs', ...pin }],
    ['up', { file: '../secret.mjs', ...pin }],
    ['linked', { file: 'link.mjs', ...pin }],
    ['absent', { file: 'absent.mjs', ...pin }],
  ]);
  const host = await TestHost.open(dataDir, { ...options, modules: new ModuleFiles(dir, registered) });
  t.after(() => host.close());
  await host.push({ 'onward.js': ONWARD });
  return { host, dataDir, dir };
}

function bind(dataDir: string, tenant: string, queue: string, module: string): Promise<unknown> {
  const insert = `insert into diy_queue_receive (Id, QueueName, Type, DllName) values ('${queue}', '${queue}', 2, '${module}')`;
  return outside(dataDir, tenantFile(tenant), insert);
}

test('a registered module handles messages by the rules of engines: transaction, outbox, inbox, outcome', async (t) => {
  const { host, dataDir } = await open(t);
  await bind(dataDir, 'demo', 'work', 'erp.dll');
  await host.host.start();
  for (const Kind of ['good', 'refuse', 'throw', 'nothing']) await host.send('work', Kind, { Kind });
  await eventually(async () => assert.equal((await deadOf(host)).length, 3));
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['on-good']));
  assert.deepEqual(await host.effects(), ['good'], 'failed runs were undone');
  await host.send('work', 'good', { Kind: 'good' });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'good'), ['1 done', '1 duplicate duplicate']));
  const [thrown] = (await host.store.journal.story('throw')).attempts;
  assert.match(thrown?.message ?? '', /TypeError: no such kind/);
  const [run] = (await host.store.journal.story('good')).attempts;
  assert.deepEqual([run?.engineKey, run?.version], ['module:erp', sha256(MODULE).slice(0, 12)]);
  assert.deepEqual(
    run?.hostCalls.map(({ name }) => name),
    ['FormEngine.AddFormData', 'MQ.SendMsg'],
  );
});

test('a module that outlasts its time is undone, and its later calls do nothing', async (t) => {
  const { host, dataDir } = await open(t, { limits: { wallMs: 300 } });
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.host.start();
  await host.send('work', 'e1', { Kind: 'hang' });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 dead V8_TIMEOUT']));
  assert.deepEqual(await host.effects(), []);
});

test('a module is refused when it is not registered, not there, outside of the folder, or another tenant asks', async (t) => {
  const { host, dataDir } = await open(t);
  await host.host.services.addTenant('shop', undefined);
  for (const name of ['nobody', 'up', 'linked', 'absent']) await bind(dataDir, 'demo', name, name);
  await bind(dataDir, 'demo', 'bad', '../erp');
  await bind(dataDir, 'shop', 'theirs', 'erp');
  await host.host.start();
  const { reconciler } = host.host;
  const rules = reconciler.refusalsOf('demo').map(({ queue, error }) => `${queue} ${String(error.params.rule)}`);
  assert.equal(rules.length, 5, rules.join('\n'));
  for (const rule of [
    /^nobody .*is not registered/,
    /^up .*not inside/,
    /^linked .*not inside/,
    /^absent .*not there/,
    /^bad /,
  ]) {
    assert.ok(
      rules.some((text) => rule.test(text)),
      `${rule}`,
    );
  }
  const [theirs] = reconciler.refusalsOf('shop');
  assert.match(String(theirs?.error.params.rule), /only the main tenant may use Type 2/);
  await storeOf(host, 'shop').journal.flush();
});

test('a module whose file changed does not run any more, and both hashes are said', async (t) => {
  const { host, dataDir, dir } = await open(t);
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.host.start();
  await host.send('work', 'e1', { Kind: 'good' });
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  const changed = `${MODULE}// changed`;
  writeFileSync(join(dir, 'erp.mjs'), changed);
  await host.host.reconciler.reconcile();
  const [refusal] = host.host.reconciler.refusalsOf('demo');
  const rule = String(refusal?.error.params.rule);
  assert.ok(rule.includes(sha256(MODULE)) && rule.includes(sha256(changed)), rule);
  await host.send('work', 'e2', { Kind: 'good' });
  assert.deepEqual(await host.effects(), ['e1'], 'its message waits');
  writeFileSync(join(dir, 'erp.mjs'), MODULE);
  await host.host.reconciler.reconcile();
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2']));
});

test('no script and no caller can name a module', async (t) => {
  const { host, dataDir } = await open(t);
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.push({ 'call.js': "return V8.ApiEngine.Run('module:erp', {});" });
  await host.host.start();
  const result = (await host.host.services.run('demo', 'call', {})) as { Code: number };
  assert.equal(result.Code, 0);
  await assert.rejects(host.host.services.run('demo', 'module:erp', {}), { code: 'ENGINE_KEY_INVALID' });
  assert.deepEqual(await host.effects(), []);
});

test('calls that a module did not wait for are part of its run; calls that cannot be made are answered', async (t) => {
  const { host, dataDir } = await open(t);
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.host.start();
  await host.send('work', 'c', { Kind: 'careless' });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'c'), ['1 done']));
  assert.deepEqual(await host.effects(), ['c1', 'c2', 'c3', 'c4', 'c5']);
  await host.send('work', 'o', { Kind: 'odd' });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'o'), ['1 done']));
  assert.deepEqual(await host.effects(), ['c1', 'c2', 'c3', 'c4', 'c5', 'o']);
});

test('a file that is no file is refused for its own queue only', async (t) => {
  const { host, dataDir, dir } = await open(t);
  rmSync(join(dir, 'erp.mjs'));
  mkdirSync(join(dir, 'erp.mjs'));
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.host.start();
  const [refusal] = host.host.reconciler.refusalsOf('demo');
  assert.match(String(refusal?.error.params.rule), /cannot be read \(EISDIR\)/);
  await host.send('onward', 'x', {});
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['x']));
});

test('a file that changed before its first use is no failure of the message', async (t) => {
  const { host, dataDir, dir } = await open(t);
  await bind(dataDir, 'demo', 'work', 'erp');
  await host.host.start();
  writeFileSync(join(dir, 'erp.mjs'), `${MODULE}// changed`);
  await host.send('work', 'e1', { Kind: 'good' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.deepEqual(await deadOf(host), []);
  writeFileSync(join(dir, 'erp.mjs'), MODULE);
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']), 30_000);
});
