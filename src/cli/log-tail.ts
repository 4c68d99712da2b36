import { setTimeout as sleep } from 'node:timers/promises';
import type { Lang } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { ulidAt } from '../core/ulid-time.ts';
import { type CommandCall, EXIT } from './command.ts';
import { isSuccess, showAnswer } from './show-answer.ts';
import { visibleText } from './visible-text.ts';

/** Between two looks for new lines. Milliseconds. */
const LOOK_MS = 1_000;

/** Stands before every line: an empty log has none to go on after, and the host takes nothing but ids. */
const BEFORE_ALL = ulidAt(0);

/** Which lines are shown. */
export interface TailFilter {
  readonly engine: string | undefined;
  /** Lines that are there already. */
  readonly limit: string;
  /** New lines are waited for. */
  readonly follows: boolean;
}

/** The tenant's log as it grows. */
export class LogTail {
  readonly #call: CommandCall;
  readonly #filter: TailFilter;
  #after: string | undefined;

  constructor(call: CommandCall, filter: TailFilter) {
    this.#call = call;
    this.#filter = filter;
  }

  /** Shows what came since the last look; at the first one the latest lines. @returns the exit code. */
  async look(): Promise<number> {
    const call = this.#call;
    const { engine, limit } = this.#filter;
    const query = new URLSearchParams({ limit: this.#after === undefined ? limit : '1000' });
    if (this.#after !== undefined) query.set('after', this.#after);
    if (engine !== undefined) query.set('engine', engine);
    const answer = await call.host().ask('GET', `${call.tenantPath()}/logs?${query}`);
    const isFirst = this.#after === undefined;
    if (isSuccess(answer.result)) this.#after = lastId(answer.result.Data) ?? this.#after ?? BEFORE_ALL;
    const isQuiet = !isFirst && lastId(answer.result.Data) === undefined && isSuccess(answer.result);
    if (isQuiet) return EXIT.ok;
    return showAnswer(call, answer, (data) => {
      if (lastId(data) === undefined) call.terminal.err((this.#filter.follows ? NONE_YET : NONE)[call.lang]);
      else show(call, data);
    });
  }

  /** Follows the host's stream, else looks again and again, until a look fails. @returns its exit code. */
  async follow(): Promise<number> {
    // Answers as they came are what scripts read with --json.
    let hasStream = this.#call.options.json !== true;
    for (;;) {
      if (hasStream) hasStream = await this.#stream();
      await sleep(LOOK_MS);
      const code = await this.look();
      if (code !== EXIT.ok) return code;
    }
  }

  /** @returns false when the host has no stream. */
  async #stream(): Promise<boolean> {
    const query = new URLSearchParams({ after: this.#after ?? BEFORE_ALL });
    if (this.#filter.engine !== undefined) query.set('engine', this.#filter.engine);
    return this.#call.host().follow(`${this.#call.tenantPath()}/logs/stream?${query}`, (name, json) => {
      if (name !== 'log') return;
      const line = [JSON.parse(json) as JsonValue];
      this.#after = lastId(line) ?? this.#after;
      show(this.#call, line);
    });
  }
}

function lastId(data: JsonValue | undefined): string | undefined {
  const last: JsonValue | undefined = Array.isArray(data) ? data.at(-1) : undefined;
  return isJsonObject(last) && typeof last.id === 'string' ? last.id : undefined;
}

const NONE: Readonly<Record<Lang, string>> = { zh: '没有这样的日志', en: 'No such lines' };
const NONE_YET: Readonly<Record<Lang, string>> = {
  zh: '还没有这样的日志，等待新的；Ctrl-C 结束',
  en: 'No such lines yet: waiting for new ones until Ctrl-C',
};

const LEVEL: Readonly<Record<number, string>> = { 2: 'WARN ', 3: 'ERROR ' };

function show({ terminal }: CommandCall, data: JsonValue): void {
  for (const line of Array.isArray(data) ? data : []) {
    if (!isJsonObject(line)) continue;
    const { time, title, content, level, eventId } = line;
    const event = eventId === '' ? '' : ` [${String(eventId)}]`;
    terminal.out(visibleText(`${time}  ${LEVEL[Number(level)] ?? ''}${title}${event}  ${content}`));
  }
}
