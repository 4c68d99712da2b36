import ivm from 'isolated-vm';
import { type CompiledScript, compileScript, locateWrapperBreak, type SyntaxFault } from './compile-script.ts';
import { PRELUDE_FILE } from './prelude-source.ts';

/** Compiled engines kept per isolate, least recently used first out. */
const MAX_ENGINES = 16;

/** Longest that setting up a context may take, of which nothing runs a script. */
export const SETUP_TIMEOUT_MS = 5_000;

/** Heap kept by an idle isolate beyond which it is not worth keeping: the next tenant needs the lane's memory. */
const MAX_IDLE_HEAP_BYTES = 32 * 1024 * 1024;

/** A fresh context with the prelude in it. Serves one run. */
export interface ScriptContext {
  readonly context: ivm.Context;
  readonly begin: ivm.Reference;
  readonly checkBody: ivm.Reference;
}

export type PreparedScript =
  | { readonly ok: true; readonly run: ivm.Reference }
  | { readonly ok: false; readonly fault: SyntaxFault };

/** One tenant's isolate: a heap that no other tenant's script has touched. Contexts in it serve one run each. */
export class ScriptIsolate {
  readonly #isolate: ivm.Isolate;
  readonly #prelude: ivm.Script;
  readonly #engines = new Map<string, { source: string; compiled: CompiledScript }>();
  #spare: ScriptContext | undefined;

  constructor(heapMb: number, preludeSource: string) {
    this.#isolate = new ivm.Isolate({ memoryLimit: heapMb });
    this.#prelude = this.#isolate.compileScriptSync(preludeSource, { filename: PRELUDE_FILE });
  }

  /** True after a termination or when its memory limit ended it; it runs nothing any more. */
  get disposed(): boolean {
    return this.#isolate.isDisposed;
  }

  /** True when it holds so much that it is better made anew. */
  get heavy(): boolean {
    const heap = this.#isolate.getHeapStatisticsSync();
    return heap.total_heap_size + heap.externally_allocated_size > MAX_IDLE_HEAP_BYTES;
  }

  /** A fresh context: the one made ahead, or a new one. */
  openContext(): ScriptContext {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? this.#createContext();
  }

  /** Makes the next run's context now, while the lane would only wait for that run. */
  makeSpare(): void {
    if (!this.disposed) this.#spare ??= this.#createContext();
  }

  #createContext(): ScriptContext {
    const context = this.#isolate.createContextSync();
    const prelude = this.#prelude.runSync(context, { timeout: SETUP_TIMEOUT_MS, reference: true });
    const begin = prelude.getSync('begin', { reference: true });
    const checkBody = prelude.getSync('checkBody', { reference: true });
    prelude.release();
    return { context, begin, checkBody };
  }

  /** Compiles an engine, or takes it from earlier, as a function of the context. */
  prepare(engineKey: string, source: string, target: ScriptContext): PreparedScript {
    const known = this.#engines.get(engineKey);
    if (known?.source === source) {
      this.#remember(engineKey, known);
      return { ok: true, run: known.compiled.script.runSync(target.context, { reference: true }) };
    }
    const attempt = compileScript(this.#isolate, engineKey, source);
    if (!attempt.ok) return attempt;
    const { compiled } = attempt;
    const refusal = target.checkBody.applySync(undefined, [source, compiled.isAsync], { timeout: SETUP_TIMEOUT_MS });
    if (refusal !== '') {
      return { ok: false, fault: locateWrapperBreak(this.#isolate, engineKey, source, String(refusal)) };
    }
    this.#remember(engineKey, { source, compiled });
    return { ok: true, run: compiled.script.runSync(target.context, { reference: true }) };
  }

  /** Ends the isolate. Also called from inside its own host call: it then ends when that returns. */
  dispose(): void {
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }

  #remember(engineKey: string, entry: { source: string; compiled: CompiledScript }): void {
    this.#engines.delete(engineKey);
    this.#engines.set(engineKey, entry);
    if (this.#engines.size <= MAX_ENGINES) return;
    const [oldest] = this.#engines;
    if (oldest === undefined) return;
    this.#engines.delete(oldest[0]);
    oldest[1].compiled.script.release();
  }
}

/** Releases what a run held in its isolate. */
export function closeContext(target: ScriptContext): void {
  target.begin.release();
  target.checkBody.release();
  target.context.release();
}
