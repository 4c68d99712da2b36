import type { TestContext } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { tempDir } from './temp-dir.ts';
import { TestHost, type TestHostOptions } from './test-host.ts';

/** Reads a number, is slow, writes it one higher: without a lock side by side some counts get lost. */
const COUNT = `
const key = 'n:' + (V8.Param.Scope ?? '');
const n = Number(V8.Cache.Get(key) ?? 0);
V8.Action.Sleep(30);
V8.Cache.Set(key, String(n + 1));
return { Code: 1, Data: n + 1 };`;

/** Engines about locks; `count` has one lock, `count-by` one for each `Scope`, `count-free` none. */
export const COUNTING_SCRIPTS = {
  'count.js': `/** @lock */${COUNT}`,
  'count-by.js': `/** @lock Scope */${COUNT}`,
  'count-free.js': COUNT,
};

/** A host for the counting scripts, with the shared parts in the place of its own. */
export async function openCountingHost(
  t: TestContext,
  shared: Partial<Pick<Adapters, 'cache' | 'locks'>>,
  options: TestHostOptions = {},
): Promise<TestHost> {
  const host = await TestHost.open(tempDir(t), {
    lanes: 2,
    decorate: (adapters) => ({ ...adapters, ...shared }),
    ...options,
  });
  t.after(() => host.close());
  await host.push(COUNTING_SCRIPTS);
  return host;
}

// biome-ignore lint/suspicious/noExplicitAny: results of scripts have any shape
export function callOf(host: TestHost): (key: string, param?: Record<string, string>) => Promise<any> {
  return (key, param = {}) => host.host.services.run('demo', key, param, 'en');
}
