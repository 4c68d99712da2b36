import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';
import { examineNames } from '../../src/host/doctor/examine-host.ts';

const RENAMED = [
  { from: 'rabbit.address', to: 'queueUrl' },
  { from: 'web.port', to: 'http.port' },
];

function load(file: unknown, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const texts: Record<string, string> = { '/srv/v8host.config.json': JSON.stringify(file), ...files };
  const source = { env, cwd: '/srv', readFile: (path: string) => texts[path] };
  return loadConfig({ source, cores: 2, renamed: RENAMED } satisfies LoadOptions);
}

test('a setting under its old name in the file works and is told with the new one, by the doctor as well', () => {
  const config = load({ web: { port: 7171 }, rabbit: { address: 'amqp://a:canary@queue' } });
  assert.deepEqual([config.http.port, config.queueUrl?.reveal()], [7171, 'amqp://a:canary@queue']);
  assert.equal(config.originOf('http.port'), 'file');
  assert.deepEqual(config.deprecations, [
    { name: 'rabbit.address', instead: 'queueUrl' },
    { name: 'web.port', instead: 'http.port' },
  ]);
  const findings = examineNames(config);
  assert.deepEqual(
    findings.map(({ level, subject, text }) => [level, subject, text.en]),
    [
      ['notice', 'rabbit.address', 'an old name that still works: write queueUrl.'],
      ['notice', 'web.port', 'an old name that still works: write http.port.'],
    ],
  );
  assert.deepEqual(load({}).deprecations, []);
});

test('so does an old variable, and that of the file of a secret', () => {
  const env = { V8HOST_WEB_PORT: '7272', V8HOST_RABBIT_ADDRESS_FILE: 'queue.url' };
  const config = load({}, env, { '/srv/queue.url': 'amqp://a:canary@queue\n' });
  assert.deepEqual([config.http.port, config.queueUrl?.reveal()], [7272, 'amqp://a:canary@queue']);
  assert.deepEqual(config.deprecations, [
    { name: 'V8HOST_RABBIT_ADDRESS_FILE', instead: 'V8HOST_QUEUE_URL_FILE' },
    { name: 'V8HOST_WEB_PORT', instead: 'V8HOST_HTTP_PORT' },
  ]);
});

test('both names at once are refused, and a wrong value is told under the new name', () => {
  assert.throws(() => load({ web: { port: 1 }, http: { port: 2 } }), /web\.port: .*the old name of http\.port/);
  assert.throws(
    () => load({}, { V8HOST_WEB_PORT: '1', V8HOST_HTTP_PORT: '2' }),
    /V8HOST_WEB_PORT: .*the old name of V8HOST_HTTP_PORT/,
  );
  assert.throws(() => load({ web: { port: 'x' } }), /http\.port \(V8HOST_HTTP_PORT\)/);
  assert.throws(() => load({ web: { ports: 1 } }), /web/);
});
