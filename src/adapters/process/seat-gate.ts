import type { GatePass, RunGate } from './run-gate.ts';

/**
 * One lane's right to use a processor: the runs that are in the lane one behind the other share it, because only one of
 * them is at work.
 */
export class SeatGate {
  readonly #gate: RunGate;
  #users = 0;
  #pass: GatePass | undefined;
  #entering: Promise<void> | undefined;

  constructor(gate: RunGate) {
    this.#gate = gate;
  }

  /** Waits for a processor, unless the lane has one. Never rejects; one `leave` belongs to it. */
  enter(): undefined | Promise<void> {
    this.#users += 1;
    if (this.#pass !== undefined) return undefined;
    if (this.#entering !== undefined) return this.#entering;
    const entered = this.#gate.enter();
    if (!(entered instanceof Promise)) {
      this.#pass = entered;
      return undefined;
    }
    this.#entering = entered.then((pass) => {
      this.#entering = undefined;
      this.#pass = pass;
    });
    return this.#entering;
  }

  /** Told when the run at work begins or ends to wait inside a host call. */
  setBlocked(blocked: boolean): void {
    this.#pass?.setBlocked(blocked);
  }

  /** One run less; the last one gives the right back. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#pass?.leave();
    this.#pass = undefined;
  }
}
