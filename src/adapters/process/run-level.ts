import type { ErrorRecord } from '../../core/errors.ts';
import type { HostCallSink, NestedFinish } from '../../ports/engine-runner.ts';
import type { ConsoleLevel, RunStart } from '../../protocol/messages.ts';
import { ProtocolBreach } from './protocol-breach.ts';

const CONSOLE_LEVELS: readonly string[] = ['log', 'info', 'warn', 'error'] satisfies readonly ConsoleLevel[];

/** One script of a run: the root, or an engine nested in the one below it. */
export class RunLevel {
  readonly runId: number;
  readonly start: RunStart;
  readonly sink: HostCallSink;
  /** Turns the outcome into the caller's reply; absent at the root. */
  readonly finish: NestedFinish | undefined;
  /** True from a host call until its reply: the lane then reads its socket and can be told to end the run. */
  inCall = false;
  /** Why the host is ending this run; stands in place of what the lane will say. */
  ending: ErrorRecord | undefined;
  #logLines = 0;
  #logBytes = 0;

  constructor(runId: number, start: RunStart, sink: HostCallSink, finish?: NestedFinish) {
    this.runId = runId;
    this.start = start;
    this.sink = sink;
    this.finish = finish;
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
}

/** Splits `head LF rest`. @throws ProtocolBreach */
export function splitAtLineFeed(text: string): [head: string, rest: string] {
  const at = text.indexOf('\n');
  if (at < 0) throw new ProtocolBreach('a frame has no line feed');
  return [text.slice(0, at), text.slice(at + 1)];
}
