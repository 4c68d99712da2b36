/**
 * What the proof of cleanliness costs in front of each run: the same engine in two contexts, of which one's prelude has
 * the check cut out, in turns. Prints the difference in microseconds of this thread's CPU. Runs under a lane's flags.
 */
import process from 'node:process';
import ivm from 'isolated-vm';
import { readPrelude } from '../../src/sandbox/prelude-source.ts';
import { ScriptContext } from '../../src/sandbox/script-context.ts';
import { median } from './bars.ts';

const CHECK = 'if (!kit.makeClean()) return DIRTY;';
const ENGINE = '(function () { return function () { return {Code: 1} } })';
const WARM_RUNS = 2_000;
const BATCHES = 41;
const RUNS = 500;
const CAPS = [1e6, 1e6, 1e5] as const;

const prelude = readPrelude().source;
if (!prelude.includes(CHECK)) throw new Error('the prelude checks elsewhere now');
const proved = open(prelude);
const unproved = open(prelude.replace(CHECK, ''));
for (const run of [proved, unproved]) batch(run, WARM_RUNS);
const differences: number[] = [];
for (let i = 0; i < BATCHES; i++) differences.push(batch(proved, RUNS) - batch(unproved, RUNS));
process.stdout.write(`${median(differences)}\n`);

function open(source: string): () => void {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = new ScriptContext(isolate, isolate.compileScriptSync(source));
  const bridge = { call: () => '1', refuse: () => '1', log: () => undefined };
  context.install({ script: isolate.compileScriptSync(ENGINE), isAsync: false }, bridge);
  return () => {
    const { state } = context.begin('{"Param":{}}', CAPS, undefined);
    if (state !== '=') throw new Error(`the engine ended as ${state}`);
  };
}

/** @returns CPU of one run, microseconds. */
function batch(run: () => void, runs: number): number {
  const before = process.threadCpuUsage();
  for (let i = 0; i < runs; i++) run();
  const used = process.threadCpuUsage(before);
  return (used.user + used.system) / runs;
}
