import { MAX_LANE_ISOLATES } from '../protocol/messages.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import type { Prelude } from './prelude-source.ts';
import { ScriptIsolate } from './script-isolate.ts';

/** Runs of an isolate between two looks at its heap; a long run is followed by one at once. */
const RUNS_PER_LOOK = 16;
const LONG_RUN_MS = 2;

/** Whose isolate it is: tenants never share one; nor do nesting depths, for microtasks drain only at the outermost. */
export interface IsolateUse {
  readonly tenant: string;
  readonly depth: number;
  readonly heapMb: number;
}

/** The lane's isolates, and one more that is prepared for whoever comes first. */
export class TenantIsolates {
  readonly #prelude: Prelude;
  readonly #idle = new LeastRecentlyUsed<ScriptIsolate>(MAX_LANE_ISOLATES, (isolate) => this.#end(isolate));
  #spare: { readonly heapMb: number; readonly isolate: ScriptIsolate } | undefined;
  /** Isolates whose garbage is worth collecting when the lane has nothing else to do. */
  readonly #untidy = new Set<ScriptIsolate>();
  #unseenRuns = 0;
  #freed = false;

  constructor(prelude: Prelude) {
    this.#prelude = prelude;
  }

  /** True once after an isolate was ended: its memory goes when the event loop turns. */
  get freed(): boolean {
    const freed = this.#freed;
    this.#freed = false;
    return freed;
  }

  /** Takes an isolate out of the cache, so that nothing can evict it while it runs. */
  take(use: IsolateUse): ScriptIsolate {
    return this.#idle.take(keyOf(use)) ?? this.createUnshared(use.heapMb);
  }

  /** An isolate that no tenant has used. */
  createUnshared(heapMb: number): ScriptIsolate {
    const spare = this.#spare;
    if (spare?.heapMb !== heapMb) return new ScriptIsolate(heapMb, this.#prelude);
    this.#spare = undefined;
    return spare.isolate;
  }

  /** Uses a moment in which the lane has nothing to do: some milliseconds. */
  useIdleMoment(heapMb: number): void {
    if (this.#spare === undefined) this.makeSpare(heapMb);
    else this.#tidyOne();
  }

  /** Prepares an isolate for the next new tenant. */
  makeSpare(heapMb: number): void {
    const isolate = new ScriptIsolate(heapMb, this.#prelude);
    isolate.makeSpare();
    isolate.collectGarbage();
    this.#spare = { heapMb, isolate };
  }

  /** Gives an isolate back, unless it was ended or has grown too heavy to keep. */
  giveBack(use: IsolateUse, isolate: ScriptIsolate, ranMs: number): void {
    if (isolate.disposed || (this.#shallLook(ranMs) && isolate.heavy)) this.#end(isolate);
    else this.#keep(use, isolate);
  }

  #keep(use: IsolateUse, isolate: ScriptIsolate): void {
    if (isolate.countRun()) this.#untidy.add(isolate);
    this.#idle.set(keyOf(use), isolate);
  }

  #tidyOne(): void {
    const [isolate] = this.#untidy;
    if (isolate === undefined) return;
    this.#untidy.delete(isolate);
    isolate.collectGarbage();
  }

  #end(isolate: ScriptIsolate): void {
    this.#untidy.delete(isolate);
    isolate.dispose();
    this.#freed = true;
  }

  #shallLook(ranMs: number): boolean {
    this.#unseenRuns += 1;
    if (ranMs < LONG_RUN_MS && this.#unseenRuns < RUNS_PER_LOOK) return false;
    this.#unseenRuns = 0;
    return true;
  }
}

/** A tenant's name holds no spaces (core/tenant.ts). */
function keyOf({ tenant, depth, heapMb }: IsolateUse): string {
  return `${tenant} ${depth} ${heapMb}`;
}
