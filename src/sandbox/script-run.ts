import type { ErrorCode, ErrorParams } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { HOST_FRAME, LANE_FRAME, type LaneDone, type RunHead } from '../protocol/messages.ts';
import type { CpuClock } from './cpu-clock.ts';
import { type HostLine, refusal } from './host-line.ts';
import { awaitStep } from './pending-calls.ts';
import { isWaiting, limitOutcome, readOutcome } from './read-box.ts';
import { RunLog } from './run-log.ts';
import type { ScriptBox, ScriptBridge, ScriptContext } from './script-context.ts';
import { readScriptError, scriptFile } from './script-error.ts';
import type { ScriptIsolate } from './script-isolate.ts';
import { softTimeoutMs, wasStarved } from './soft-timeout.ts';
import type { IsolateUse, TenantIsolates } from './tenant-isolates.ts';

/** isolated-vm's words when `timeout` ended an entry. They cannot be hidden by a script, only forged to its own harm. */
const TIMED_OUT = 'Script execution timed out.';

/** Ended by the soft timeout before it had its CPU, and without a trace: it is run again, by the watchdog's clock alone. */
const STARVED = 'starved';

/** Wall time of that second try, in CPU limits. The watchdog ends it long before; without a host it must end too. */
const PATIENCE = 10;

/** The host ends the run; what is thrown is not read. */
const ABORTED = new Error('aborted');

/** What a run needs of its lane. */
export interface RunServices {
  readonly line: HostLine;
  readonly isolates: TenantIsolates;
  readonly cpu: CpuClock;
}

/**
 * One run of one script, from compiling to its outcome. The outcome is what the shim settled, never what an entry
 * returned or threw: a floating rejection makes an entry throw although the script returned. Only a termination
 * (timeout, memory, abort) overrules it, because work that floats on after the return belongs to the run.
 */
export class ScriptRun implements ScriptBridge {
  readonly #services: RunServices;
  readonly #head: RunHead;
  readonly #inputJson: string;
  readonly #use: IsolateUse;
  readonly #log: RunLog;
  readonly #warnings: string[] = [];
  #isolate: ScriptIsolate;
  #source: string | undefined;
  #settled: RunOutcome | undefined;

  constructor(services: RunServices, head: RunHead, inputJson: string, depth: number) {
    this.#services = services;
    this.#head = head;
    this.#inputJson = inputJson;
    this.#use = { tenant: head.tenant, depth, heapMb: head.limits.heapMb };
    this.#isolate = services.isolates.take(this.#use);
    this.#log = new RunLog(services.line, head.limits);
  }

  /** Runs to the end. Whatever the script does, this returns or the process dies. */
  execute(): LaneDone {
    const { limits } = this.#head;
    let outcome = this.#attempt(limits.cpuMs);
    if (outcome === STARVED) {
      this.#settled = undefined;
      this.#isolate = this.#services.isolates.take(this.#use);
      outcome = this.#attempt(limits.cpuMs * PATIENCE);
    }
    if (outcome === STARVED) outcome = limitOutcome('V8_CPU_LIMIT', { limit: limits.cpuMs });
    if (this.#log.cut) {
      this.#warn(`日志超过 ${limits.logLines} 行或 ${limits.logBytes} 字节，其余已丢弃 / the log was cut at its limit`);
    }
    return { outcome, warnings: this.#warnings };
  }

  /** Asks the host and blocks until it answers. */
  call(name: string, args: string): string {
    const limit = this.#head.limits.argumentBytes;
    const size = Buffer.byteLength(args);
    if (size > limit) return refusal('V8_RESULT_TOO_LARGE', { what: `${name}()`, size, limit }, 'zh');
    this.#services.line.say(LANE_FRAME.call, `${name}\n${args}`);
    const answer = this.#services.line.hear(HOST_FRAME.reply);
    if (answer !== undefined) return answer;
    // Ended from inside its own call: the isolate stops when this returns, and the script sees nothing of it.
    this.#isolate.dispose();
    return 'null';
  }

  refuse(code: string, params: string, lang: string): string {
    return refusal(code as ErrorCode, JSON.parse(params) as ErrorParams, lang === 'en' ? 'en' : 'zh');
  }

  log(level: string, line: string): void {
    this.#log.write(level, line);
  }

  #attempt(cpuMs: number): RunOutcome | typeof STARVED {
    const startedAt = performance.now();
    this.#services.cpu.start();
    this.#isolate.bridge = this;
    if (!this.#isolate.isQuick(this.#head)) this.#services.line.announce();
    try {
      return this.#runInContext(cpuMs);
    } catch (thrown) {
      return this.#judgeTermination(thrown);
    } finally {
      this.#isolate.bridge = undefined;
      this.#services.isolates.giveBack(this.#use, this.#isolate, performance.now() - startedAt);
    }
  }

  #runInContext(cpuMs: number): RunOutcome {
    const prepared = this.#isolate.prepare(this.#head, () => this.#fetchSource());
    if (!prepared.ok) return { kind: 'syntax', ...prepared.fault };
    const startedAt = performance.now();
    const box = this.#begin(prepared.target, cpuMs);
    if (box.state !== 'd') {
      const outcome = this.#finish(prepared.target, box, cpuMs);
      prepared.target.lastRunMs = performance.now() - startedAt;
      return outcome;
    }
    // What an earlier run left cannot be taken back: this one gets a context that nobody has used.
    this.#isolate.discard(this.#head);
    const fresh = this.#isolate.prepare(this.#head, () => this.#fetchSource());
    if (!fresh.ok) throw new Error('a source that was compiled before does not compile');
    return this.#finish(fresh.target, this.#begin(fresh.target, cpuMs), cpuMs);
  }

  /** Asked of the host once a run. */
  #fetchSource(): string {
    this.#source ??= this.#services.line.fetchSource();
    if (this.#services.line.aborted) throw ABORTED;
    return this.#source;
  }

  #begin(target: ScriptContext, cpuMs: number): ScriptBox {
    const { argumentBytes, resultBytes, logBytes } = this.#head.limits;
    const caps = [argumentBytes, resultBytes, logBytes] as const;
    return this.#enter(target, () => target.begin(this.#inputJson, caps, softTimeoutMs(cpuMs)));
  }

  /** Goes on until the script is settled and has neither a timer nor an unanswered call left. */
  #finish(target: ScriptContext, begun: ScriptBox, cpuMs: number): RunOutcome {
    const { engineKey, limits } = this.#head;
    for (let box = begun; ; ) {
      this.#settled = readOutcome(box, engineKey, limits.resultBytes) ?? this.#settled;
      this.#warnOfLateEffects(box);
      if (!isWaiting(box, this.#settled)) return this.#settled ?? limitOutcome('V8_NEVER_SETTLES');
      const step = awaitStep(this.#services.line, box, limits.argumentBytes);
      if (step === undefined) throw ABORTED;
      const left = cpuMs - this.#services.cpu.usedMs();
      if (left <= 0) return limitOutcome('V8_CPU_LIMIT', { limit: limits.cpuMs });
      box = this.#enter(target, () => target.step(step, softTimeoutMs(left)));
    }
  }

  /** An entry into script code and every microtask that it leaves. */
  #enter(target: ScriptContext, entry: () => ScriptBox): ScriptBox {
    try {
      return entry();
    } catch (thrown) {
      if (!this.#isFloatingRejection(thrown)) throw thrown;
      this.#warnOfRejection(thrown);
      return target.readBox();
    }
  }

  /** An entry that threw although nothing was terminated: a rejection that nobody handled. */
  #isFloatingRejection(thrown: unknown): boolean {
    return !this.#isolate.disposed && !this.#services.line.aborted && !isTimeout(thrown);
  }

  /** The library passes errors and primitives on as copies, so reading them here runs no script code. */
  #warnOfRejection(thrown: unknown): void {
    const [message, stack] = thrown instanceof Error ? [thrown.message, thrown.stack ?? ''] : [String(thrown), ''];
    const { at } = readScriptError(scriptFile(this.#head.engineKey), '', '', stack);
    const place = at === undefined ? '' : ` [行:${at.line}, 列:${at.column}]`;
    this.#warn(`未处理的 Promise 拒绝 / unhandled rejection: ${message.slice(0, 500)}${place}`);
  }

  #warnOfLateEffects({ late }: ScriptBox): void {
    if (late === '') return;
    this.#warn(`脚本失败后的操作未执行 / late effect, not performed: ${late.trim().split('\n').join(', ')}`);
  }

  #warn(text: string): void {
    this.#warnings.push(text);
  }

  /**
   * Names the limit that ended the run. The isolate is thrown away: its queue may hold microtasks, which would run
   * inside the next entry with that run's rights.
   */
  #judgeTermination(thrown: unknown): RunOutcome | typeof STARVED {
    const { limits } = this.#head;
    const { line, cpu } = this.#services;
    const outOfMemory = this.#isolate.disposed;
    this.#isolate.dispose();
    // The host ends this run and has the reason; what is said here is not read.
    if (line.aborted) return limitOutcome('V8_TIMEOUT', { limit: limits.wallMs });
    if (outOfMemory) return limitOutcome('V8_MEMORY_LIMIT', { limit: limits.heapMb });
    if (!isTimeout(thrown)) throw thrown;
    if (wasStarved(cpu.usedMs(), limits.cpuMs, line.spoke)) return STARVED;
    return limitOutcome('V8_CPU_LIMIT', { limit: limits.cpuMs });
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === TIMED_OUT;
}
