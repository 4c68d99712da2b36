import type { ErrorRecord } from '../../core/errors.ts';
import type { HostCallSink, NestedFinish } from '../../ports/engine-runner.ts';
import type { ConsoleLevel, RunStart } from '../../protocol/messages.ts';
import { type AsyncAnswer, type LaneWait, readWaitText } from '../../protocol/wait-text.ts';
import { ProtocolBreach } from './protocol-breach.ts';

const CONSOLE_LEVELS: readonly string[] = ['log', 'info', 'warn', 'error'] satisfies readonly ConsoleLevel[];

/** An engine to run for a level before its call is answered. */
export interface NestedRun {
  readonly start: RunStart;
  readonly sink: HostCallSink;
  /** Turns the outcome into the call's answer. */
  readonly finish: NestedFinish;
  /** Hands the answer over. */
  readonly answer: (json: string) => void;
}

/** One script of a run: the root, or an engine nested in the one below it. */
export class RunLevel {
  readonly runId: number;
  readonly start: RunStart;
  readonly sink: HostCallSink;
  /** Whom the end of the run answers; absent at the root. */
  readonly caller: Pick<NestedRun, 'finish' | 'answer'> | undefined;
  /**
   * What the lane waits for: the reply to a host call, the step that ends a wait, or nothing. While it waits it reads
   * its socket and can be told to end the run.
   */
  open: 'nothing' | 'reply' | 'step' = 'nothing';
  /** Why the host is ending this run; stands in place of what the lane will say. */
  ending: ErrorRecord | undefined;
  /** Set when a nested engine passed its own wall time; it is ended as soon as the lane listens. */
  overdue: ErrorRecord | undefined;
  /** Engines that async calls want run, as soon as the script waits. */
  readonly nested: NestedRun[] = [];
  /** The reply to its open call, while an engine nested in it has the lane. */
  reply: string | undefined;
  /** The last of its calls that are made one after another, until it is answered. */
  lastInOrder: Promise<void> | undefined;
  readonly #unanswered = new Set<number>();
  #answers: AsyncAnswer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerDue = false;
  #wallTimer: NodeJS.Timeout | undefined;
  #sourceAsked = false;
  #logLines = 0;
  #logBytes = 0;

  constructor(runId: number, start: RunStart, sink: HostCallSink, caller?: RunLevel['caller']) {
    this.runId = runId;
    this.start = start;
    this.sink = sink;
    this.caller = caller;
  }

  /** True while async calls of the script have no answer. */
  get hasPendingCalls(): boolean {
    return this.#unanswered.size > 0;
  }

  /** True when the wait can end: something was answered, or the timer is due. */
  get canStep(): boolean {
    return this.#timerDue || this.#answers.length > 0;
  }

  /** A call is made after `lastInOrder`. @returns what is called when it is answered. */
  enterOrder(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lastInOrder = promise;
    return () => {
      if (this.lastInOrder === promise) this.lastInOrder = undefined;
      resolve();
    };
  }

  /** Passes a console line on. The lane has cut the log already; one that did not is no longer ours. */
  log(text: string): void {
    const [level, line] = splitAtLineFeed(text);
    if (!CONSOLE_LEVELS.includes(level)) throw new ProtocolBreach('a log line has no known level');
    this.#logLines += 1;
    this.#logBytes += Buffer.byteLength(line);
    const { logLines, logBytes } = this.start.limits;
    if (this.#logLines > logLines || this.#logBytes > logBytes) throw new ProtocolBreach('the log passed its limit');
    this.sink.log(level as ConsoleLevel, line);
  }

  /** The lane asks for the source. @throws ProtocolBreach when it asks twice. */
  takeSource(): string {
    if (this.#sourceAsked) throw new ProtocolBreach('a source is asked for twice');
    this.#sourceAsked = true;
    return this.start.source;
  }

  /** The lane begins to wait. @param onTimer called when the script's timer is due. @throws ProtocolBreach */
  beginWait(text: string, onTimer: () => void): LaneWait {
    const wait = readWaitText(text);
    if (wait === undefined) throw new ProtocolBreach('a wait is malformed');
    for (const { id } of wait.calls) {
      if (this.#unanswered.has(id)) throw new ProtocolBreach('two calls with one id');
      this.#unanswered.add(id);
    }
    if (wait.timerMs === undefined && !this.hasPendingCalls) throw new ProtocolBreach('a wait for nothing');
    this.open = 'step';
    this.#timerDue = wait.timerMs === 0;
    if (wait.timerMs !== undefined && wait.timerMs > 0) {
      // No run lives as long as the longest timer that there is.
      this.#timer = setTimeout(
        () => {
          this.#timerDue = true;
          onTimer();
        },
        Math.min(wait.timerMs, 2 ** 31 - 1),
      );
    }
    return wait;
  }

  /** An async call was answered; the script hears of it with its next step. */
  addAnswer(id: number, json: string): void {
    this.#answers.push({ id, json });
  }

  /** Ends the wait. @returns the answers that the script gets. */
  endWait(): readonly AsyncAnswer[] {
    const answers = this.#answers;
    this.#answers = [];
    for (const { id } of answers) this.#unanswered.delete(id);
    this.open = 'nothing';
    this.stopTimer();
    return answers;
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timerDue = false;
  }

  /** Watches the wall time of an engine nested in a run; the run's own is the watchdog's. @param onPassed told once. */
  watchWall(onPassed: () => void): void {
    const { engineKey, limits } = this.start;
    this.#wallTimer = setTimeout(() => {
      this.overdue = { code: 'V8_TIMEOUT', params: { limit: limits.wallMs, engine: engineKey } };
      onPassed();
    }, limits.wallMs);
  }

  /** The level is over: none of its timers fires any more, and its calls give up. */
  close(): void {
    this.stopTimer();
    clearTimeout(this.#wallTimer);
    this.sink.end?.();
  }
}

/** Splits `head LF rest`. @throws ProtocolBreach */
export function splitAtLineFeed(text: string): [head: string, rest: string] {
  const at = text.indexOf('\n');
  if (at < 0) throw new ProtocolBreach('a frame has no line feed');
  return [text.slice(0, at), text.slice(at + 1)];
}
