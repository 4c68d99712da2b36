import { childTraceParent, type TraceContext } from '../core/trace-parent.ts';
import type { Ids } from '../ports/ids.ts';
import type { Span, Tracer } from '../ports/tracer.ts';

/** Carries traces on and records nothing: what a host has that exports none. Ids are made when they are asked for. */
export function createPassiveTracer(ids: Pick<Ids, 'guid'>): Tracer {
  return {
    isOn: false,
    messagingSystem: '',
    start: (_name, { parent }) => new PassiveSpan(ids, parent),
  };
}

class PassiveSpan implements Span {
  readonly #ids: Pick<Ids, 'guid'>;
  readonly #parent: TraceContext | undefined;
  #traceParent: string | undefined;

  constructor(ids: Pick<Ids, 'guid'>, parent: TraceContext | undefined) {
    this.#ids = ids;
    this.#parent = parent;
  }

  get traceParent(): string {
    this.#traceParent ??= childTraceParent(this.#parent?.traceParent ?? null, this.#hex(32), this.#hex(16));
    return this.#traceParent;
  }

  get traceState(): string | null {
    return this.#parent?.traceState ?? null;
  }

  rename(): void {}
  set(): void {}
  end(): void {}

  #hex(digits: number): string {
    return this.#ids.guid().replaceAll('-', '').slice(0, digits);
  }
}
