import { AppError } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import { moduleOf } from '../../core/trusted-module.ts';
import type { EngineRunner, HostCallSink, RunSlot, SlotRun } from '../../ports/engine-runner.ts';
import type { RunStart } from '../../protocol/messages.ts';
import type { ModuleFiles, ModuleHost } from './module-files.ts';

/** Longest stack that is kept of what a module threw. */
const STACK_LINES = 10;

/** Runs registered modules in the host itself and everything else in the sandbox. */
export function withModules(runner: EngineRunner, modules: ModuleFiles): EngineRunner {
  return {
    acquire: async (tenant, request) => {
      const name = request.engine === undefined ? undefined : moduleOf(request.engine.key);
      if (name === undefined) return runner.acquire(tenant, request);
      if (request.signal?.aborted) throw new AppError('DRAINING');
      return moduleSlot(modules, name);
    },
    compile: (tenant, engineKey, source) => runner.compile(tenant, engineKey, source),
    status: () => runner.status(),
    load: () => runner.load(),
    close: () => runner.close(),
  };
}

/** Modules take no lane: a binding's prefetch bounds how many run at once. */
function moduleSlot(modules: ModuleFiles, name: string): RunSlot {
  const run = (start: RunStart, calls: HostCallSink) => runModule(modules, name, { start, calls });
  return {
    run,
    runAll: (runs) => {
      let before: Promise<unknown> = Promise.resolve();
      return runs.map(({ start, calls }) => {
        const outcome = before.then(() => run(start, calls));
        before = outcome;
        return outcome;
      });
    },
    release: () => {},
  };
}

/** A module cannot be killed: after its time its transaction is undone and its later calls are refused. */
async function runModule(modules: ModuleFiles, name: string, { start, calls }: SlotRun): Promise<RunOutcome> {
  const end = new AbortController();
  const { wallMs } = start.limits;
  const timer = setTimeout(() => end.abort(), wallMs);
  const tooLong = new Promise<RunOutcome>((resolve) => {
    const outcome: RunOutcome = { kind: 'limit', error: { code: 'V8_TIMEOUT', params: { limit: wallMs } } };
    end.signal.addEventListener('abort', () => resolve(outcome));
  });
  try {
    return await Promise.race([tooLong, finish(modules, name, { start, calls }, end.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

async function finish(
  modules: ModuleFiles,
  name: string,
  { start, calls }: SlotRun,
  signal: AbortSignal,
): Promise<RunOutcome> {
  let result: unknown;
  try {
    const handle = await modules.load(name);
    const { Param } = JSON.parse(start.inputJson) as { Param: { Message: unknown; EventId: string } };
    result = await handle(Param.Message, hostOf(start.tenant, Param.EventId, calls, signal));
  } catch (thrown) {
    return { kind: 'threw', error: describe(thrown) };
  }
  if (result === undefined) return { kind: 'nothing' };
  try {
    return { kind: 'returned', json: JSON.stringify(result) ?? 'null' };
  } catch (thrown) {
    return { kind: 'unwritable', message: describe(thrown).message };
  }
}

/** Calls are made one after the other: they share the transaction of the run. */
function hostOf(tenant: string, eventId: string, calls: HostCallSink, signal: AbortSignal): ModuleHost {
  let before: Promise<unknown> = Promise.resolve();
  return {
    tenant,
    eventId,
    signal,
    call: (name, ...args) => {
      const answer = before.then(async () => {
        if (signal.aborted) return { Code: 0, Data: null, Msg: 'the time of the run is up' };
        const reply = await calls.call(name, JSON.stringify(args));
        if (reply.kind === 'reply') return JSON.parse(reply.json) as unknown;
        return { Code: 0, Data: null, Msg: 'a module calls no engines: send a message instead' };
      });
      before = answer;
      return answer;
    },
  };
}

function describe(thrown: unknown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const lines = (error.stack ?? '').split('\n').slice(1, 1 + STACK_LINES);
  return { name: error.name, message: error.message, stack: lines.map((line) => line.trim()) };
}
