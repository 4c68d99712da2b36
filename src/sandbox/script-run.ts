import process from 'node:process';
import type ivm from 'isolated-vm';
import { fail } from '../core/dos-result.ts';
import type { ErrorCode, ErrorParams, ErrorRecord } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { Frame } from '../protocol/frames.ts';
import { type ConsoleLevel, HOST_FRAME, LANE_FRAME, type LaneDone, type RunStart } from '../protocol/messages.ts';
import { endProcess, type HostChannel } from './host-channel.ts';
import { RunLog } from './run-log.ts';
import { readScriptError, scriptFile } from './script-error.ts';
import { closeContext, type ScriptContext, type ScriptIsolate } from './script-isolate.ts';
import { softTimeoutMs, wasStarved } from './soft-timeout.ts';
import type { TenantIsolates } from './tenant-isolates.ts';

/** V8's words for a stack overflow. A script that forges them only mislabels its own failure. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';

/** isolated-vm's words when `timeout` ended an entry. They cannot be hidden by a script, only forged to its own harm. */
const TIMED_OUT = 'Script execution timed out.';

/** Ended by the soft timeout before it had its CPU, and without a trace: it is run again, by the watchdog's clock alone. */
const STARVED = 'starved';

/** Wall time of that second try, in CPU limits. The watchdog ends it long before; without a host it must end too. */
const PATIENCE = 10;

/** The lane, as one of its runs sees it. */
export interface RunningLane {
  readonly channel: HostChannel;
  readonly isolates: TenantIsolates;
  /** The run that the host is ending, while the runs nested in it unwind; they end without a word of their own. */
  readonly aborting: number | undefined;
  abort(runId: number): void;
  /** Runs an engine that a waiting run's host call asked for, to its end. */
  runNested(frame: Frame, depth: number): void;
}

/**
 * One run of one script, from compiling to its outcome. The outcome is what the shim settled, never what the entry
 * returned or threw: a floating rejection makes an entry throw although the script returned. Only a termination
 * (timeout, memory, abort) overrules it, because work that floats on after the return belongs to the run.
 */
export class ScriptRun {
  readonly #lane: RunningLane;
  readonly #start: RunStart;
  readonly #runId: number;
  readonly #depth: number;
  #isolate: ScriptIsolate;
  readonly #log: RunLog;
  readonly #warnings: string[] = [];
  readonly #cpuAtStart = process.cpuUsage();
  #settled: RunOutcome | undefined;
  #hostCalls = 0;

  constructor(lane: RunningLane, start: RunStart, runId: number, depth: number) {
    this.#lane = lane;
    this.#start = start;
    this.#runId = runId;
    this.#depth = depth;
    this.#isolate = this.#takeIsolate();
    this.#log = new RunLog(lane.channel, runId, start.limits);
  }

  /** Runs to the end. Whatever the script does, this returns or the process dies. */
  execute(): LaneDone {
    const { limits } = this.#start;
    let outcome = this.#attempt(softTimeoutMs(limits.cpuMs));
    if (outcome === STARVED) {
      this.#settled = undefined;
      this.#isolate = this.#takeIsolate();
      outcome = this.#attempt(limits.cpuMs * PATIENCE);
    }
    if (outcome === STARVED) outcome = limit('V8_CPU_LIMIT', { limit: limits.cpuMs });
    if (this.#log.cut) {
      this.#warn(`日志超过 ${limits.logLines} 行或 ${limits.logBytes} 字节，其余已丢弃 / the log was cut at its limit`);
    }
    return { outcome, warnings: this.#warnings };
  }

  #attempt(timeoutMs: number | undefined): RunOutcome | typeof STARVED {
    try {
      return this.#runInContext(timeoutMs);
    } catch (thrown) {
      return this.#judgeTermination(thrown);
    } finally {
      this.#lane.isolates.giveBack(this.#start.tenant, this.#depth, this.#start.limits.heapMb, this.#isolate);
    }
  }

  #takeIsolate(): ScriptIsolate {
    return this.#lane.isolates.take(this.#start.tenant, this.#depth, this.#start.limits.heapMb);
  }

  #runInContext(timeoutMs: number | undefined): RunOutcome {
    const target = this.#isolate.openContext();
    const prepared = this.#isolate.prepare(this.#start.engineKey, this.#start.source, target);
    if (!prepared.ok) {
      closeContext(target);
      return { kind: 'syntax', ...prepared.fault };
    }
    try {
      this.#enter(target, prepared.run, timeoutMs);
    } catch (thrown) {
      if (!this.#isFloatingRejection(thrown)) throw thrown;
      this.#warnOfRejection(thrown);
    }
    prepared.run.release();
    closeContext(target);
    return this.#settled ?? limit('V8_NEVER_SETTLES');
  }

  /** The one entry into script code: the script, then every microtask it left. */
  #enter(target: ScriptContext, run: ivm.Reference, timeoutMs: number | undefined): void {
    const { input, limits } = this.#start;
    target.begin.applySync(
      undefined,
      [
        run.derefInto(),
        JSON.stringify(input),
        limits.argumentBytes,
        limits.resultBytes,
        limits.logBytes,
        (name: string, args: string) => this.#call(name, args),
        (code: ErrorCode, params: string, lang: 'zh' | 'en') => refusal(code, JSON.parse(params) as ErrorParams, lang),
        (level: ConsoleLevel, line: string) => this.#log.write(level, line),
        (kind: string, a: string, b: string, c: string) => this.#settle(kind, a, b, c),
      ],
      timeoutMs === undefined ? {} : { timeout: timeoutMs },
    );
  }

  #settle(kind: string, first: string, second: string, third: string): void {
    this.#settled ??= this.#readEnd(kind, first, second, third);
  }

  #readEnd(kind: string, first: string, message: string, stack: string): RunOutcome {
    switch (kind) {
      case 'nothing':
        return { kind: 'nothing' };
      case 'unwritable':
        return { kind: 'unwritable', message: first };
      case 'too-large':
        return resultTooLarge(Number(first), this.#start.limits.resultBytes);
      case 'returned': {
        const size = Buffer.byteLength(first);
        const cap = this.#start.limits.resultBytes;
        return size > cap ? resultTooLarge(size, cap) : { kind: 'returned', json: first };
      }
      default:
        return this.#readThrow(first, message, stack);
    }
  }

  #readThrow(name: string, message: string, stack: string): RunOutcome {
    if (name === 'RangeError' && message === STACK_OVERFLOW) return limit('V8_RECURSION_LIMIT');
    return { kind: 'threw', error: readScriptError(scriptFile(this.#start.engineKey), name, message, stack) };
  }

  /** Asks the host and blocks until it answers. Runs nested engines that the host wants run first. */
  #call(name: string, args: string): string {
    this.#hostCalls += 1;
    const { argumentBytes } = this.#start.limits;
    const size = Buffer.byteLength(args);
    if (size > argumentBytes) {
      return refusal('V8_RESULT_TOO_LARGE', { what: `${name}()`, size, limit: argumentBytes }, 'zh');
    }
    this.#lane.channel.send(LANE_FRAME.call, this.#runId, `${name}\n${args}`);
    for (;;) {
      const frame = this.#lane.channel.receive() ?? endProcess();
      if (frame.type === HOST_FRAME.reply && frame.runId === this.#runId) return frame.text;
      if (frame.type === HOST_FRAME.nested) {
        this.#lane.runNested(frame, this.#depth + 1);
      } else if (frame.type === HOST_FRAME.abort) {
        this.#lane.abort(frame.runId);
      } else {
        endProcess();
      }
      // Ended from inside its own call: the isolate stops when this returns, and the script sees nothing of it.
      if (this.#lane.aborting !== undefined) {
        this.#isolate.dispose();
        return 'null';
      }
    }
  }

  /** An entry that threw although nothing was terminated: a rejection that nobody handled. */
  #isFloatingRejection(thrown: unknown): boolean {
    return !this.#isolate.disposed && this.#lane.aborting === undefined && !isTimeout(thrown);
  }

  /** The library passes errors and primitives on as copies, so reading them here runs no script code. */
  #warnOfRejection(thrown: unknown): void {
    const [message, stack] = thrown instanceof Error ? [thrown.message, thrown.stack ?? ''] : [String(thrown), ''];
    const { at } = readScriptError(scriptFile(this.#start.engineKey), '', '', stack);
    const place = at === undefined ? '' : ` [行:${at.line}, 列:${at.column}]`;
    this.#warn(`未处理的 Promise 拒绝 / unhandled rejection: ${message.slice(0, 500)}${place}`);
  }

  #warn(text: string): void {
    this.#warnings.push(text);
  }

  /**
   * Names the limit that ended the run. The isolate is thrown away: its queue may hold microtasks, which would run
   * inside the next entry with that run's rights.
   */
  #judgeTermination(thrown: unknown): RunOutcome | typeof STARVED {
    const { limits } = this.#start;
    const outOfMemory = this.#isolate.disposed;
    this.#isolate.dispose();
    // The host ends this run and has the reason; what is said here is not read.
    if (this.#lane.aborting !== undefined) return limit('V8_TIMEOUT', { limit: limits.wallMs });
    if (outOfMemory) return limit('V8_MEMORY_LIMIT', { limit: limits.heapMb });
    if (!isTimeout(thrown)) throw thrown;
    const spoke = this.#hostCalls > 0 || this.#log.lines > 0;
    if (wasStarved(this.#usedCpuMs(), limits.cpuMs, spoke)) return STARVED;
    return limit('V8_CPU_LIMIT', { limit: limits.cpuMs });
  }

  #usedCpuMs(): number {
    const used = process.cpuUsage(this.#cpuAtStart);
    return (used.user + used.system) / 1000;
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === TIMED_OUT;
}

function limit(code: ErrorCode, params: ErrorParams = {}): RunOutcome {
  return { kind: 'limit', error: { code, params } };
}

function resultTooLarge(size: number, cap: number): RunOutcome {
  return limit('V8_RESULT_TOO_LARGE', { what: 'return', size, limit: cap });
}

/** JSON of the DosResult that a script gets when its call cannot even be sent. */
function refusal(code: ErrorCode, params: ErrorParams, lang: 'zh' | 'en'): string {
  const error: ErrorRecord = { code, params };
  return JSON.stringify(fail(error, lang));
}
