import { bilingual } from '../../core/bilingual.ts';
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
  const { Param } = JSON.parse(start.inputJson) as { Param: { Message: unknown; EventId: string } };
  const { host, ended } = hostOf(start.tenant, Param.EventId, calls, signal);
  try {
    const handle = await modules.load(name);
    result = await handle(Param.Message, host);
  } catch (thrown) {
    // The queue is detached at the next look; until then its messages come again, uncounted.
    const refused = thrown instanceof AppError && thrown.code === 'MODULE_REFUSED';
    return refused ? { kind: 'unstarted', error: thrown.toRecord() } : { kind: 'threw', error: describe(thrown) };
  } finally {
    // Calls that nobody waited for belong to the run: half of them must not be committed.
    await ended();
  }
  if (result === undefined) return { kind: 'nothing' };
  try {
    return { kind: 'returned', json: JSON.stringify(result) ?? 'null' };
  } catch (thrown) {
    return { kind: 'unwritable', message: describe(thrown).message };
  }
}

/** Calls are made one after the other: they share the transaction of the run. `ended` resolves when all are over. */
function hostOf(
  tenant: string,
  eventId: string,
  calls: HostCallSink,
  signal: AbortSignal,
): { host: ModuleHost; ended: () => Promise<void> } {
  let before: Promise<unknown> = Promise.resolve();
  let made = 0;
  const call: ModuleHost['call'] = (name, ...args) => {
    made += 1;
    const answer = before.then(() => (signal.aborted ? refused(TIME_IS_UP) : answerCall(calls, name, args)));
    before = answer;
    return answer;
  };
  const ended = async (): Promise<void> => {
    // What one call's end lets begin may be another call.
    for (let seen = -1; seen !== made; ) {
      seen = made;
      await before;
    }
  };
  return { host: { tenant, eventId, signal, call }, ended };
}

/** Never rejects: failures are results, as `ModuleHost.call` promises. */
async function answerCall(calls: HostCallSink, name: string, args: readonly unknown[]): Promise<unknown> {
  if (name.startsWith('ApiEngine.')) return refused(NO_ENGINES);
  try {
    const reply = await calls.call(name, JSON.stringify(args));
    return reply.kind === 'reply' ? (JSON.parse(reply.json) as unknown) : refused(NO_ENGINES);
  } catch (thrown) {
    return refused(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refused(message: string) {
  return { Code: 0, Data: null, Msg: message };
}

const TIME_IS_UP = bilingual('本次运行的时间已到', 'the time of the run is up');
const NO_ENGINES = bilingual('模块不能调用接口引擎：请发送消息', 'a module calls no engines: send a message instead');

function describe(thrown: unknown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const lines = (error.stack ?? '').split('\n').slice(1, 1 + STACK_LINES);
  return { name: error.name, message: error.message, stack: lines.map((line) => line.trim()) };
}
