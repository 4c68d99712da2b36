/**
 * The yardsticks: the same script in one process, without a boundary, run the ways people run scripts without lanes.
 * A process of its own per measurement, so that its heap is nobody's past.
 *
 *   node invoke-yardstick.ts fresh-isolate|fresh-context|node-vm MILLISECONDS   → {"perSecond":n,"cpuUsPerRun":n}
 */
import process from 'node:process';
import vm from 'node:vm';
import ivm from 'isolated-vm';

const SOURCE = '(function () { return JSON.stringify({Code: 1}) })()';
const GOOD = '{"Code":1}';
const IN_FLIGHT = 16;

const [kind = '', msText = '1000'] = process.argv.slice(2);

/** The same as a module of that kind: a function that takes the data and may return a promise. */
const MODULE = 'module.exports = async function (data) { return {Code: 1} }';

/**
 * A new isolate for every run, in the steps of Directus' operation "Run Script": a few globals, the script run once to
 * define its function, the function called with the data, its promise awaited, the result copied out.
 */
async function freshIsolate(): Promise<unknown> {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = await isolate.createContext();
    const { global } = context;
    await global.set('global', global.derefInto());
    await global.set('log', () => undefined);
    await global.set('process', { env: {} }, { copy: true });
    await global.set('module', { exports: null }, { copy: true });
    const script = await isolate.compileScript(MODULE);
    await script.run(context, { timeout: 1000 });
    const input = new ivm.Reference({ data: { Id: 1 } });
    const result = await context.evalClosure('return module.exports($0.copySync().data)', [input], {
      result: { reference: true, promise: true },
      timeout: 1000,
    });
    return JSON.stringify((result as ivm.Reference).copySync());
  } finally {
    isolate.dispose();
  }
}

function freshContext(): () => Promise<unknown> {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const script = isolate.compileScriptSync(SOURCE);
  return async () => {
    const context = isolate.createContextSync();
    const result = script.runSync(context, { timeout: 1000 });
    context.release();
    return result;
  };
}

function nodeVm(): () => Promise<unknown> {
  const script = new vm.Script(SOURCE);
  return async () => script.runInContext(vm.createContext({}), { timeout: 1000 });
}

const KINDS: Readonly<Record<string, () => () => Promise<unknown>>> = {
  'fresh-isolate': () => freshIsolate,
  'fresh-context': freshContext,
  'node-vm': nodeVm,
};

const run = KINDS[kind]?.();
if (run === undefined) throw new Error(`unknown yardstick ${kind}`);

let runs = 0;
async function work(until: number): Promise<void> {
  while (performance.now() < until) {
    if ((await run?.()) !== GOOD) throw new Error('the yardstick did not run');
    runs += 1;
  }
}

async function measure(ms: number): Promise<{ perSecond: number; cpuUsPerRun: number }> {
  runs = 0;
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => work(begun + ms)));
  const tookMs = performance.now() - begun;
  const cpu = process.cpuUsage(cpuBefore);
  return { perSecond: (runs / tookMs) * 1000, cpuUsPerRun: (cpu.user + cpu.system) / runs };
}

await measure(Number(msText) / 4);
process.stdout.write(`${JSON.stringify(await measure(Number(msText)))}\n`);
