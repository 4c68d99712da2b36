import ivm from 'isolated-vm';
import { collectGarbage } from './collect-garbage.ts';
import { type CompiledScript, compileScript, locateWrapperBreak, type SyntaxFault } from './compile-script.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import { PRELUDE_FILE, type Prelude } from './prelude-source.ts';
import { type ScriptBridge, ScriptContext } from './script-context.ts';

/** Compiled engines kept per isolate. */
const MAX_ENGINES = 16;

/** Contexts kept per isolate: half a megabyte each. */
const MAX_CONTEXTS = 4;

/** Longest run of which nobody needs to hear that it has begun. */
const QUICK_MS = 2;

/** Heap kept by an idle isolate beyond which it is not worth keeping: the next tenant needs the lane's memory. */
const MAX_IDLE_HEAP_BYTES = 16 * 1024 * 1024;

/** Runs after which an isolate's code is made and its heap as large as it will be, with what making it has left. */
const WARM_RUNS = 32;

/** What makes two sources of an isolate's tenant the same. */
export interface EngineVersion {
  readonly engineKey: string;
  readonly version: string;
}

export type PreparedScript =
  | { readonly ok: true; readonly target: ScriptContext }
  | { readonly ok: false; readonly fault: SyntaxFault };

/**
 * One tenant's isolate: a heap that no other tenant's script has touched. Each engine has a context of its own in it,
 * which its runs use one after another, every run proving first that nothing was left in it.
 */
export class ScriptIsolate implements ScriptBridge {
  readonly #isolate: ivm.Isolate;
  readonly #prelude: ivm.Script;
  readonly #engines = new LeastRecentlyUsed<CompiledScript>(MAX_ENGINES, ({ script }) => script.release());
  readonly #contexts = new LeastRecentlyUsed<ScriptContext>(MAX_CONTEXTS, (target) => target.close());
  #spare: ScriptContext | undefined;
  #runs = 0;
  /** The run that the isolate serves. */
  bridge: ScriptBridge | undefined;

  constructor(heapMb: number, { source, cachedData }: Prelude) {
    this.#isolate = new ivm.Isolate({ memoryLimit: heapMb });
    const options = { filename: PRELUDE_FILE, ...(cachedData === undefined ? {} : { cachedData }) };
    this.#prelude = this.#isolate.compileScriptSync(source, options);
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

  /** True when the last run of this version was quick, so that the next one will hardly cost the lane. */
  isQuick(engine: EngineVersion): boolean {
    return (this.#contexts.peek(nameOf(engine))?.lastRunMs ?? QUICK_MS) < QUICK_MS;
  }

  /** Makes the next context that will be needed now, while the lane would only wait. */
  makeSpare(): void {
    this.#spare ??= new ScriptContext(this.#isolate, this.#prelude);
  }

  /** True once, when it has just become warm: collecting its garbage then saves a quarter of its memory for good. */
  countRun(): boolean {
    this.#runs += 1;
    return this.#runs === WARM_RUNS;
  }

  /** Of an isolate at rest: gives back what its heap does not need. */
  collectGarbage(): void {
    if (!this.disposed) collectGarbage(this.#isolate);
  }

  /** The engine's context, ready to run. `source` is only asked for a version that the isolate does not know. */
  prepare(engine: EngineVersion, source: () => string): PreparedScript {
    const name = nameOf(engine);
    const kept = this.#contexts.get(name);
    if (kept !== undefined && this.#engines.get(name) !== undefined) return { ok: true, target: kept };
    const target = this.#takeSpare();
    const known = this.#engines.get(name) ?? this.#compile(engine, source(), target);
    if ('at' in known) {
      this.#spare ??= target;
      return { ok: false, fault: known };
    }
    this.#engines.set(name, known);
    target.install(known, this);
    this.#contexts.set(name, target);
    return { ok: true, target };
  }

  /** Gives up a context that a run has left unclean. */
  discard(engine: EngineVersion): void {
    this.#contexts.delete(nameOf(engine));
  }

  /** Ends the isolate. Also called from inside its own host call: it then ends when that returns. */
  dispose(): void {
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }

  call(name: string, args: string): string {
    return this.bridge?.call(name, args) ?? 'null';
  }

  refuse(code: string, params: string, lang: string): string {
    return this.bridge?.refuse(code, params, lang) ?? 'null';
  }

  log(level: string, line: string): void {
    this.bridge?.log(level, line);
  }

  #takeSpare(): ScriptContext {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? new ScriptContext(this.#isolate, this.#prelude);
  }

  #compile({ engineKey }: EngineVersion, source: string, target: ScriptContext): CompiledScript | SyntaxFault {
    const attempt = compileScript(this.#isolate, engineKey, source);
    if (!attempt.ok) return attempt.fault;
    const refusal = target.checkBody(source, attempt.compiled.isAsync);
    if (refusal === '') return attempt.compiled;
    return locateWrapperBreak(this.#isolate, engineKey, source, refusal);
  }
}

/** An engine key holds no spaces (core/engine.ts). */
function nameOf({ engineKey, version }: EngineVersion): string {
  return `${engineKey} ${version}`;
}
