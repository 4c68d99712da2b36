import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processesUnder } from './left-over.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Node with the environment of somebody's shell: not part of this run. */
function startNode(...args: string[]): ChildProcess {
  const { NODE_TEST_CONTEXT: _, V8HOST_TEST_SERVICE_DESK: __, SERVICES: ___, ...env } = process.env;
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
}

/** The first line of JSON that a program prints. */
async function said<T>(child: ChildProcess, stream: 'stdout' | 'stderr'): Promise<T> {
  const input = child[stream];
  assert.ok(input);
  for await (const line of createInterface({ input })) if (line.startsWith('{')) return JSON.parse(line) as T;
  throw new Error('the program ended without a word');
}

async function becomesTrue(check: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) if (await check()) return true;
  return false;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('services, their children and their port mapper die with a process that was killed', async () => {
  const owner = startNode(fileOf('service-owner.ts'));
  const { dir, ports } = await said<{ dir: string; ports: number[] }>(owner, 'stdout');
  assert.ok(processesUnder(dir).length >= 4, 'two databases, a broker and its port mapper');
  owner.kill('SIGKILL');
  await becomesTrue(() => processesUnder(dir).length === 0);
  assert.deepEqual(processesUnder(dir), []);
  assert.deepEqual(await Promise.all(ports.map(answers)), [false, false, false]);
});

test('two runs at once have services of their own, which die with their runner and its test files', async () => {
  const setup = `--test-global-setup=${fileOf('../global-setup.ts')}`;
  const runners = [1, 2].map(() => startNode('--test', setup, fileOf('service-user.ts')));
  const urls = await Promise.all(runners.map(async (each) => (await said<{ urls: string[] }>(each, 'stdout')).urls));
  const ports = urls.flat().map((url) => Number(new URL(url).port));
  assert.equal(new Set(ports).size, 4);
  assert.deepEqual(await Promise.all(ports.map(answers)), [true, true, true, true]);
  const ended = runners.map((runner) => once(runner, 'exit'));
  for (const runner of runners) runner.kill('SIGKILL');
  await Promise.all(ended);
  const allGone = async () => !(await Promise.all(ports.map(answers))).includes(true);
  assert.ok(await becomesTrue(allGone), `something still answers on ${ports.join()}`);
});
