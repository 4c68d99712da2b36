import {
  askTurn,
  type Circuit,
  type CircuitPolicy,
  type CircuitSample,
  CLOSED_CIRCUIT,
  forgoTurn,
  ratesOf,
  recordSample,
} from '../core/circuit.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';

/** Circuits remembered; of more, those that are closed are forgotten. */
const MAX_CIRCUITS = 10_000;

/** What a circuit watches: a binding by its physical queue, or an engine by its key. */
export interface CircuitName {
  readonly tenant: string;
  readonly subject: string;
}

/** A circuit as people see it. */
export interface CircuitView extends CircuitName {
  readonly phase: Circuit['phase'];
  /** Since when it is not closed. Milliseconds UTC. */
  readonly since?: number;
  /** When a probe may run next; absent unless it is open. Milliseconds UTC. */
  readonly until?: number;
  /** Pauses in a row. */
  readonly pauses?: number;
  /** Runs in the window and how many of them went wrong; of a closed circuit. */
  readonly runs: number;
  readonly troublePercent: number;
  readonly faultPercent: number;
}

export interface CircuitBookServices {
  readonly clock: Clock;
  /** Told when a circuit enters another phase, and when a probe failed and it opens again. */
  readonly onChange: (view: CircuitView) => void;
}

/** The circuits of one kind in this host. */
export class CircuitBook {
  readonly policy: CircuitPolicy;
  readonly #services: CircuitBookServices;
  readonly #circuits = new Map<string, { readonly name: CircuitName; readonly circuit: Circuit }>();

  constructor(policy: CircuitPolicy, services: CircuitBookServices) {
    this.policy = policy;
    this.#services = services;
  }

  isClosed(name: CircuitName): boolean {
    return this.#at(name).phase === 'closed';
  }

  /** When an open circuit may be probed, milliseconds UTC; undefined while it is not open. */
  openUntil(name: CircuitName): number | undefined {
    const circuit = this.#at(name);
    return circuit.phase === 'open' && circuit.until > this.#services.clock.now() ? circuit.until : undefined;
  }

  /** Asks for a run's turn. @returns undefined when it may begin, else milliseconds until it is worth asking again. */
  ask(name: CircuitName): number | undefined {
    const circuit = this.#at(name);
    if (circuit.phase === 'closed') return undefined;
    const turn = askTurn(circuit, this.#services.clock.now());
    this.#set(name, turn.circuit);
    return turn.pass ? undefined : turn.waitMs;
  }

  /** A run that had its turn ended without a sample. Harmless after one. */
  forgo(name: CircuitName): void {
    const circuit = this.#at(name);
    if (circuit.phase === 'probing') this.#set(name, forgoTurn(circuit));
  }

  record(name: CircuitName, sample: CircuitSample): void {
    this.#set(name, recordSample(this.#at(name), this.policy, sample, this.#services.clock.now()));
  }

  /** The circuits of a tenant, or all of them, by subject. */
  list(tenant?: string): CircuitView[] {
    const all = [...this.#circuits.values()].filter(
      ({ name }) => tenant === undefined || tenantKey(name.tenant) === tenantKey(tenant),
    );
    return all
      .map(({ name, circuit }) => this.#view(name, circuit))
      .sort((a, b) => (a.subject < b.subject ? -1 : Number(a.subject > b.subject)));
  }

  #at(name: CircuitName): Circuit {
    return this.#circuits.get(keyOf(name))?.circuit ?? CLOSED_CIRCUIT;
  }

  #set(name: CircuitName, circuit: Circuit): void {
    const key = keyOf(name);
    const before = this.#circuits.get(key);
    if (before === undefined && this.#circuits.size >= MAX_CIRCUITS) this.#forgetClosed();
    this.#circuits.set(key, { name, circuit });
    if (circuit.phase !== (before?.circuit.phase ?? 'closed')) this.#services.onChange(this.#view(name, circuit));
  }

  #view(name: CircuitName, circuit: Circuit): CircuitView {
    const rates = ratesOf(circuit, this.policy, this.#services.clock.now());
    if (circuit.phase === 'closed') return { ...name, phase: 'closed', ...rates };
    const { phase, since, pauses } = circuit;
    return { ...name, phase, since, pauses, ...(phase === 'open' ? { until: circuit.until } : {}), ...rates };
  }

  #forgetClosed(): void {
    for (const [key, { circuit }] of this.#circuits) if (circuit.phase === 'closed') this.#circuits.delete(key);
  }
}

function keyOf({ tenant, subject }: CircuitName): string {
  return `${tenantKey(tenant)} ${tenantKey(subject)}`;
}
