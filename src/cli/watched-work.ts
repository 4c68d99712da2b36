import { type NoteProgress, type Progress, percentDone } from '../core/progress.ts';
import type { CommandCall, Text } from './command.ts';
import type { HostAnswer } from './host-client.ts';
import { progressText } from './progress-text.ts';
import { visibleText } from './visible-text.ts';

/** A quick answer shows nothing; then a line that is renewed each second. Milliseconds. */
const FIRST_MS = 500;
const EACH_MS = 1_000;

/** Without a terminal a step of many parts has a line each so many percent. */
const LINE_PERCENT = 10;

/** Fewer parts than these are not worth a plain line. */
export const MANY = 20;

type Watched = Pick<CommandCall, 'terminal' | 'lang' | 'options'>;

/**
 * Shows how far long work is while it runs: on a terminal one line that goes again at the end, elsewhere a plain line
 * for each step, and with `--json` nothing.
 * @param what is done, such as `pushing 240 files`.
 * @param fewest parts that a step has at least to be worth a plain line.
 */
export async function watched<T>(
  call: Watched,
  what: Text,
  work: (note: NoteProgress) => Promise<T>,
  fewest = 1,
): Promise<T> {
  if (call.options.json === true) return work(() => undefined);
  const { progress } = call.terminal;
  if (progress === undefined) return work(plainLines(call, what, fewest));
  const line = new ProgressLine(call, what, progress);
  try {
    return await work((step) => line.note(step));
  } finally {
    line.end();
  }
}

/** Asks the host for long work and shows how far it is; see `watched`. */
export function askWatched(
  call: CommandCall,
  what: Text,
  { method, path, body }: HostRequest,
  fewest = 1,
): Promise<HostAnswer> {
  // Who reads JSON gets the answer as it came.
  if (call.options.json === true) return call.host().ask(method, path, JSON.stringify(body));
  return watched(call, what, (note) => call.host().ask(method, path, JSON.stringify(body), note), fewest);
}

/** What the host is asked to do. */
interface HostRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: unknown;
}

function plainLines({ terminal, lang }: Watched, what: Text, fewest: number): NoteProgress {
  let shown: Progress | undefined;
  return (step) => {
    if (step.total < fewest || !isWorthALine(shown, step)) return;
    shown = step;
    terminal.err(visibleText(`${what[lang]}: ${progressText(step, lang)}`));
  };
}

function isWorthALine(before: Progress | undefined, now: Progress): boolean {
  if (before === undefined || before.step !== now.step || now.done < before.done) return true;
  if (now.done === before.done) return false;
  return now.done === now.total || percentDone(now) >= percentDone(before) + LINE_PERCENT;
}

/** The line on a terminal. */
class ProgressLine {
  readonly #call: Watched;
  readonly #what: Text;
  readonly #show: (text: string | undefined) => void;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout;
  #step: Progress | undefined;
  #isShown = false;

  constructor(call: Watched, what: Text, show: (text: string | undefined) => void) {
    this.#call = call;
    this.#what = what;
    this.#show = show;
    this.#timer = setTimeout(() => {
      this.#draw();
      this.#timer = setInterval(() => this.#draw(), EACH_MS);
    }, FIRST_MS);
  }

  note(step: Progress): void {
    this.#step = step;
    if (this.#isShown) this.#draw();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#show(undefined);
  }

  #draw(): void {
    this.#isShown = true;
    const { lang } = this.#call;
    const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
    const time = lang === 'zh' ? `${seconds} 秒` : `${seconds} s`;
    const share = this.#step === undefined ? '' : `${progressText(this.#step, lang)}, `;
    this.#show(`${this.#what[lang]}… ${share}${time}`);
  }
}
