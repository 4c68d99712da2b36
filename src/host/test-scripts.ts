import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdminServices } from '../admin/services.ts';
import type { TestOptions, TestResult } from '../cli/command.ts';
import { composeHost } from '../compose.ts';
import { loadConfig } from '../config/load-config.ts';
import { AppError, coerceError, describeError, type Lang } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { Releasers } from '../lifecycle.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openAdapters } from './open-adapters.ts';
import { mainMqttOf } from './open-mqtt.ts';
import { settingsOf } from './start-host.ts';

const TENANT = 'test';

/**
 * Runs the tests of a script project on a host of their own: embedded, with an empty database that goes with them. Each
 * test is one run in the sandbox, so one that never ends fails alone.
 * @throws AppError PUSH_REFUSED after its problems were told; what opening a host throws.
 */
export async function testScripts(options: TestOptions): Promise<readonly TestResult[]> {
  const directory = mkdtempSync(join(tmpdir(), 'v8host-test-'));
  const log = createLogger({ level: 'error', format: 'auto' });
  const releasers = new Releasers();
  releasers.add('test data', () => rmSync(directory, { recursive: true, force: true }));
  try {
    const config = loadConfig({
      source: {
        cwd: directory,
        readFile: () => undefined,
        env: {
          V8HOST_TENANT: TENANT,
          V8HOST_DATA_DIR: directory,
          V8HOST_DEMO: 'false',
          V8HOST_LANG: options.lang,
          V8HOST_SANDBOX_LANES: '2',
        },
      },
    });
    const adapters = await openAdapters(config, directory, log, releasers, []);
    const host = composeHost(adapters, settingsOf(config, mainMqttOf(config, directory, false)));
    await host.start();
    releasers.add('test host', () => host.drain());
    await pushProject(host.services, options);
    return await runAll(host.services, options);
  } finally {
    await releasers.releaseAll(log);
  }
}

async function pushProject(services: AdminServices, { scripts, tests, lang, err }: TestOptions): Promise<void> {
  const files = [...scripts, ...tests.map(({ path, text }, index) => ({ path, text: asEngine(text, index) }))];
  const outcome = await services.push(TENANT, { files, prune: false, dryRun: false });
  if (outcome.ok) return;
  for (const refusal of outcome.refusals) err(describeError(refusal, lang));
  throw new AppError('PUSH_REFUSED', { count: outcome.refusals.length });
}

/** Names of tests first, then each test, so that people see how far it is. */
async function runAll(services: AdminServices, options: TestOptions): Promise<TestResult[]> {
  const cases: { readonly file: string; readonly key: string; readonly name: string; readonly index: number }[] = [];
  const results: TestResult[] = [];
  for (const [number, { path }] of options.tests.entries()) {
    const key = keyOf(number);
    const listed = await outcomeOf(services, options.lang, { file: path, key }, {});
    const names = isJsonObject(listed.result) && Array.isArray(listed.result.Data) ? listed.result.Data : undefined;
    if (names === undefined) {
      results.push({ file: path, name: '', ok: false, ms: 0, message: listed.message ?? NO_TESTS[options.lang] });
    } else cases.push(...names.map((name, index) => ({ file: path, key, name: String(name), index })));
  }
  for (const [done, { file, key, name, index }] of cases.entries()) {
    options.progress(`${done}/${cases.length} ${file} › ${name}`);
    const startedAt = performance.now();
    const { message } = await outcomeOf(services, options.lang, { file, key }, { Test: index });
    const ms = Math.round(performance.now() - startedAt);
    results.push({ file, name, ok: message === undefined, ms, ...(message === undefined ? {} : { message }) });
  }
  options.progress(undefined);
  return results;
}

async function outcomeOf(
  services: AdminServices,
  lang: Lang,
  { file, key }: { readonly file: string; readonly key: string },
  param: Readonly<Record<string, number>>,
) {
  try {
    return { result: await services.run(TENANT, key, param, lang), message: undefined };
  } catch (thrown) {
    const error = coerceError(thrown).toRecord();
    const stack = String(error.params.stack ?? '').replaceAll(`${key}.js`, file);
    return { result: undefined, message: [describeError(error, lang), stack].filter((text) => text !== '').join('\n') };
  }
}

const NO_TESTS = {
  zh: '没有测试：文件在调用 test 之前返回了',
  en: 'no tests: the file returned before it called test',
} as const;

function keyOf(number: number): string {
  return `v8host-test-${number}`;
}

/** What a test file may call, in front of its first line so that lines keep their numbers. */
const HELPERS = [
  'const v8hostTests = [];',
  'function test(name, body) { v8hostTests.push([String(name), body]); }',
  "function v8hostFail(found, wanted, text) { throw new Error((text ? text + ': ' : '') + 'found ' + v8hostShow(found) + ', expected ' + v8hostShow(wanted)); }",
  'function v8hostShow(value) { const text = JSON.stringify(value); return text === undefined ? String(value) : text; }',
  "function v8hostSorted(value) { if (Array.isArray(value)) return value.map(v8hostSorted); if (value === null || typeof value !== 'object') return value; return Object.fromEntries(Object.keys(value).sort().map((key) => [key, v8hostSorted(value[key])])); }",
  'const assert = Object.freeze({',
  "ok: (value, text) => { if (!value) v8hostFail(value, 'something true', text); },",
  'equal: (found, wanted, text) => { if (found !== wanted) v8hostFail(found, wanted, text); },',
  'deepEqual: (found, wanted, text) => { if (v8hostShow(v8hostSorted(found)) !== v8hostShow(v8hostSorted(wanted))) v8hostFail(found, wanted, text); },',
  "throws: (body, text) => { try { body(); } catch { return; } v8hostFail('nothing thrown', 'an error', text); },",
  '});',
  'function deliver(key, message, eventId) { const id = eventId ?? V8.Method.NewUlid(); return V8.ApiEngine.Run(key, { EventId: id, Message: { EventId: id, Message: message } }, V8.DbTrans); }',
].join(' ');

/** Without a number it names its tests, with one it runs that one. */
const RUN_ONE =
  'if (V8.Param.Test === undefined) return { Code: 1, Data: v8hostTests.map((each) => each[0]) }; await v8hostTests[V8.Param.Test][1](); return { Code: 1 };';

function asEngine(text: string, number: number): string {
  return `/** @engineKey ${keyOf(number)} */ ${HELPERS} ${text}\n${RUN_ONE}\n`;
}
