import type ivm from 'isolated-vm';
import type { CompiledScript } from './compile-script.ts';

/** Longest that the parsing of a source may take. What else sets a context up is ours and needs no limit. */
const PARSE_TIMEOUT_MS = 5_000;

/** What scripts of an isolate reach of the lane. The functions never throw. */
export interface ScriptBridge {
  /** Makes a host call and waits for its answer. JSON in, JSON out. */
  call(name: string, args: string): string;
  /** JSON of the DosResult that a call gets which cannot be sent. */
  refuse(code: string, params: string, lang: string): string;
  log(level: string, line: string): void;
}

/** A run's state as its context tells it (prelude/execute.js). */
export interface ScriptBox {
  readonly state: '?' | '=' | '0' | '!' | 'u' | 'L' | '.' | 'd';
  readonly texts: readonly [string, string, string];
  /** When the next timer is due, milliseconds UTC; negative when there is none. */
  readonly timerAt: number;
  /** Async calls to send: a line each. */
  readonly calls: string;
  /** Async calls without an answer, those in `calls` among them. */
  readonly pendingCalls: number;
  /** What the script wanted to do after its end: a line each. */
  readonly late: string;
}

const RETURN_COPY = { result: { copy: true } } as const;

/** A context with the prelude in it: one engine's place to run, one run after another. */
export class ScriptContext {
  readonly #context: ivm.Context;
  readonly #install: ivm.Reference;
  readonly #begin: ivm.Reference;
  readonly #step: ivm.Reference;
  readonly #readBox: ivm.Reference;
  readonly #checkBody: ivm.Reference;
  /** Wall time of the last run, host calls included; undefined before the first. */
  lastRunMs: number | undefined;

  constructor(isolate: ivm.Isolate, prelude: ivm.Script) {
    this.#context = isolate.createContextSync();
    const entries = prelude.runSync(this.#context, { reference: true });
    const entry = (name: string): ivm.Reference => entries.getSync(name, { reference: true });
    this.#install = entry('install');
    this.#begin = entry('begin');
    this.#step = entry('step');
    this.#readBox = entry('readBox');
    this.#checkBody = entry('checkBody');
    entries.release();
  }

  /** Why a source is not one function body; empty when it is. */
  checkBody(source: string, isAsync: boolean): string {
    return String(this.#checkBody.applySync(undefined, [source, isAsync], { timeout: PARSE_TIMEOUT_MS }));
  }

  /** Makes the compiled engine the one that this context runs. */
  install({ script, isAsync }: CompiledScript, bridge: ScriptBridge): void {
    const factory = script.runSync(this.#context, { reference: true });
    this.#install.applySync(undefined, [
      factory.derefInto({ release: true }),
      isAsync,
      (name: string, args: string) => bridge.call(name, args),
      (code: string, params: string, lang: string) => bridge.refuse(code, params, lang),
      (level: string, line: string) => bridge.log(level, line),
    ]);
  }

  /** The first entry of a run. @throws what ended the entry: a termination, or a rejection that nobody handled. */
  begin(inputJson: string, caps: readonly [number, number, number], timeoutMs: number | undefined): ScriptBox {
    return readBox(this.#begin.applySync(undefined, [inputJson, ...caps], withTimeout(timeoutMs)));
  }

  /** A further entry: with answers to async calls, or for the timer that is due. @throws as `begin`. */
  step(answers: string, timeoutMs: number | undefined): ScriptBox {
    return readBox(this.#step.applySync(undefined, [answers], withTimeout(timeoutMs)));
  }

  /** The box after an entry that threw for a rejection: the run's own state is in it as ever. */
  readBox(): ScriptBox {
    return readBox(this.#readBox.applySync(undefined, [], RETURN_COPY));
  }

  /** Releases what the lane holds of the context. */
  close(): void {
    for (const each of [this.#install, this.#begin, this.#step, this.#readBox, this.#checkBody]) each.release();
    this.#context.release();
  }
}

function withTimeout(timeoutMs: number | undefined): ivm.ReferenceApplyOptions & typeof RETURN_COPY {
  return timeoutMs === undefined ? RETURN_COPY : { ...RETURN_COPY, timeout: timeoutMs };
}

function readBox(value: unknown): ScriptBox {
  const [state, first = '', second = '', third = '', timerAt = -1, calls = '', pendingCalls = 0, late = ''] = value as [
    ScriptBox['state'],
    string?,
    string?,
    string?,
    number?,
    string?,
    number?,
    string?,
  ];
  return { state, texts: [first, second, third], timerAt, calls, pendingCalls, late };
}
