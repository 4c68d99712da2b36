import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { laneVerdict } from '../../src/host/doctor/examine-machine.ts';
import { runCli } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { readRun, runDoctor } from './doctor-run.ts';

describe('v8host doctor on a machine', () => {
  it('finds a fresh directory sound, and leaves nothing in it', async (t) => {
    const dir = tempDir(t);
    const dataDir = join(dir, 'data');
    const { code, texts, problems } = await runDoctor(t, { dataDir }, { dir });
    assert.deepEqual(problems, []);
    assert.equal(code, texts('sandbox', 'problem').length === 0 ? 0 : 1);
    assert.deepEqual(texts('config', 'ok'), ['the configuration is valid']);
    assert.match(texts('data', 'notice')[0] ?? '', /not there yet/);
    assert.deepEqual(texts('ports', 'ok'), ['http.port is free']);
    assert.equal(texts('sandbox', 'ok')[0], 'tested versions');
    assert.match(texts('host', 'notice')[0] ?? '', /the host does not run/);
    const after = await runDoctor(t, { dataDir }, { dir });
    assert.match(after.texts('data', 'notice')[0] ?? '', /not there yet/, 'the doctor made the directory');
  });

  it('takes what a lane did on an overloaded machine for no proof', () => {
    const level = (broken: string[], load: number) => laneVerdict('pid 1', broken, { load, cpus: 2 }).level;
    assert.deepEqual(
      [level([], 9), level(['native loop: x'], 9), level(['native loop: x'], 1.9)],
      ['ok', 'notice', 'problem'],
    );
    const { text } = laneVerdict('pid 1', ['native loop: x'], { load: 9.04, cpus: 2 });
    assert.match(text.en, /overloaded \(load 9\.0, 2 CPUs\).*native loop: x.*check again/);
    assert.match(text.zh, /负载 9\.0，2 个 CPU/);
  });

  it('tells every problem of a configuration, and in the language of the terminal', async (t) => {
    const english = await runDoctor(t, { http: { port: 99_999 }, reconcileSecond: 1 });
    assert.equal(english.code, 1);
    const [port = '', name = ''] = english.texts('config', 'problem');
    assert.match(port, /^http\.port \(V8HOST_HTTP_PORT\) is wrong: /);
    assert.match(name, /^reconcileSecond is wrong: .*reconcileSeconds/);
    const chinese = await runDoctor(t, { http: { port: 99_999 } }, { lang: 'zh_CN.UTF-8' });
    assert.match(chinese.texts('config', 'problem')[0] ?? '', /配置有误/);
  });

  it('names the variable that gave a wrong value, and the file for one that stands there', async (t) => {
    const dir = tempDir(t);
    const subjects = async (file: object, env: Readonly<Record<string, string>>) => {
      const { findings } = await runDoctor(t, { lang: 'fr', ...file }, { dir, env });
      return findings.map(({ subject, text }) => [subject, text.split(' ')[0]]);
    };
    const inFile = ['v8host.config.json', 'lang'];
    assert.deepEqual((await subjects({}, { V8HOST_HTTP_PORT: 'seventy' })).slice(0, 2).sort(), [
      ['V8HOST_HTTP_PORT', 'http.port'],
      inFile,
    ]);
    assert.deepEqual((await subjects({}, { V8HOST_NO_SUCH: '1' }))[0], ['V8HOST_NO_SUCH', 'V8HOST_NO_SUCH']);
    writeFileSync(join(dir, 'url'), 'http://nowhere');
    assert.deepEqual((await subjects({}, { V8HOST_QUEUE_URL_FILE: join(dir, 'url') })).slice(0, 2).sort(), [
      ['V8HOST_QUEUE_URL_FILE', 'queueUrl'],
      inFile,
    ]);
    const rule = await subjects({ lang: 'en' }, { V8HOST_RETENTION_DEAD_LETTER_DAYS: '100' });
    assert.deepEqual(rule[0], ['V8HOST_RETENTION_DEAD_LETTER_DAYS', 'retention.inboxDays']);
    assert.deepEqual((await subjects({}, { OsClient: 'a/b' })).slice(0, 2).sort(), [['OsClient', 'tenant'], inFile]);
  });

  it('knows that a dead letter outlives the attempts that explain it, and is content with equal windows', async (t) => {
    const short = await runDoctor(t, { retention: { attemptDays: 7 } });
    assert.deepEqual(short.texts('config', 'notice'), [
      '7 days are fewer than the 30 of retention.deadLetterDays: the attempts of an old dead letter go before it does. Make them equal.',
    ]);
    assert.deepEqual((await runDoctor(t, { retention: { attemptDays: 30 } })).texts('config', 'notice'), []);
  });

  it('finds a taken port, a directory that cannot be used, a readable token and a damaged file', async (t) => {
    const dir = tempDir(t);
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    writeFileSync(join(dir, 'admin.token'), 'x\n');
    chmodSync(join(dir, 'admin.token'), 0o644);
    mkdirSync(join(dir, 'tenants'));
    writeFileSync(join(dir, 'tenants', 'demo.db'), 'this is no database at all'.repeat(100));
    const { code, texts } = await runDoctor(t, { http: { port } }, { dir });
    assert.equal(code, 1);
    assert.match(texts('ports', 'problem')[0] ?? '', new RegExp(`${port}.*http\\.port`));
    assert.match(texts('data', 'problem')[0] ?? '', /chmod 600/);
    assert.match(texts('database', 'problem')[0] ?? '', /cannot be read \(file is not a database\).*v8host restore/);
    const unusable = await runDoctor(t, { dataDir: join(dir, 'admin.token', 'data') });
    assert.match(unusable.texts('data', 'problem')[0] ?? '', /The data directory .* cannot be used \(ENOTDIR/);
  });

  it('finds MQTT certificates that cannot be used and devices that cannot log in', async (t) => {
    const dir = tempDir(t);
    writeFileSync(join(dir, 'cert.pem'), 'no certificate');
    writeFileSync(join(dir, 'key.pem'), 'no key');
    const tls = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
    const { code, texts } = await runDoctor(t, { mqtt: { enabled: true, port: 0, tls } }, { dir });
    assert.equal(code, 1);
    assert.match(texts('mqtt', 'problem')[0] ?? '', /The TLS certificate of MQTT cannot be used \(mqtt\.tls\.certFile/);
    assert.match(texts('mqtt', 'problem')[1] ?? '', /no account or password .*set mqtt\.account and mqtt\.password/);
  });

  it('is a table for people, and without what is well on demand', async (t) => {
    const dir = tempDir(t);
    writeFileSync(join(dir, 'v8host.config.json'), JSON.stringify({ dataDir: dir, demo: false }));
    const env = { V8HOST_URL: 'http://127.0.0.1:1', LANG: 'zh_CN.UTF-8' };
    const whole = await runCli(['doctor'], { cwd: dir, env });
    assert.match(whole.out, /^正常 {2}配置 {2,}/);
    assert.match(whole.err, /^问题 \d+ 个，注意事项 \d+ 个\n$/);
    const short = await runCli(['doctor', '--problems'], { cwd: dir, env });
    assert.doesNotMatch(short.out, /^正常/m);
    assert.match(short.out, /^注意 {2}主机/m);
    const wrong = await runCli(['doctor', '--problems'], { cwd: dir, env: { ...env, V8HOST_NO_SUCH: '1' } });
    assert.match(
      wrong.out,
      /^问题 {2}配置 {2,}V8HOST_NO_SUCH {2,}配置有误：V8HOST_NO_SUCH：/m,
      'a line for every setting',
    );
  });
});

describe('v8host doctor beside a running host', () => {
  const FAILING = `/**\n * Fails.\n *\n * @queue failures\n * @retry 0\n */\nreturn { Code: 0, Msg: 'no' };\n`;

  it('asks it what only it knows, and does not take its ports for taken', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    const well = readRun(await host.cli('doctor', '--json'));
    assert.deepEqual(well.problems, []);
    assert.deepEqual(well.texts('host', 'ok'), ['runs and takes messages and calls']);
    assert.deepEqual(well.texts('tenant', 'ok'), ['is well']);
    assert.deepEqual(well.texts('ports', 'problem'), []);
    assert.deepEqual(well.texts('database', 'ok'), ['SQLite, sound']);

    await host.api('PUT', 'tenants/demo/engines', { files: [{ path: 'fail.js', text: FAILING }] });
    await host.api('POST', 'tenants/demo/queues/failures/messages', { EventId: 'f-1', Message: 1 });
    await host.apiPatiently('GET', 'tenants/demo/events/f-1');
    await untilDead(host);
    host.sql(
      'demo',
      "INSERT INTO diy_queue_receive (Id, QueueName, ApiEngineKey, IsEnable) VALUES ('bad', 'microi.other.q', 'fail', 1)",
    );
    const ill = readRun(await host.cli('doctor', '--json'));
    assert.equal(ill.code, 1, ill.out);
    assert.match(ill.texts('tenant', 'notice').join(), /1 dead letter: npx v8host dead-letters groups --tenant demo/);
    assert.match(ill.texts('tenant', 'problem').join(), /1 wrong row of bindings: npx v8host bindings --tenant demo/);
  });

  it('without the token of the whole host says what it could not see', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    const run = readRun(await host.cli('doctor', '--json', '--token', 'another-token-0123456789'));
    assert.deepEqual(run.problems, []);
    assert.match(run.texts('host', 'notice').join(), /no token of the whole host/);
  });

  async function untilDead(host: HostProcess): Promise<void> {
    await eventually(async () => {
      const { body } = await host.api('GET', 'tenants/demo/dead-letters');
      assert.equal(body.DataCount, 1, 'no dead letter');
    });
  }
});
