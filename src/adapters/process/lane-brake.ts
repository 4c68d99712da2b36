/** Of so many ticks of the watchdog, a lane of a tenant in debt works in one. */
const TICKS_PER_TURN = 5;

/**
 * Slows a run whose tenant owes CPU time: its lane stands still in four of five ticks. Unlike a lower priority this can
 * be taken back, and it spares the host's own loop (sandbox.md 5). Time at a standstill is not the script's.
 * Times are those of `performance.now()`.
 */
export class LaneBrake {
  readonly #signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  #tick = 0;
  #stoppedAt: number | undefined;
  #stoodMs = 0;

  constructor(signal: (signal: 'SIGSTOP' | 'SIGCONT') => void) {
    this.#signal = signal;
  }

  /** Once a tick: brakes while the tenant is in debt, else lets go. */
  update(inDebt: boolean, nowMs: number): void {
    this.#tick = inDebt ? (this.#tick + 1) % TICKS_PER_TURN : 0;
    if (this.#tick === 0) this.#go(nowMs);
    else this.#stop(nowMs);
  }

  /** Lets go for good and begins to count anew: another run comes. */
  release(nowMs: number): void {
    this.#go(nowMs);
    this.#tick = 0;
    this.#stoodMs = 0;
  }

  /** How long the lane has stood still in this run. Milliseconds. */
  stoodMs(nowMs: number): number {
    return this.#stoodMs + (this.#stoppedAt === undefined ? 0 : nowMs - this.#stoppedAt);
  }

  #stop(nowMs: number): void {
    if (this.#stoppedAt !== undefined) return;
    this.#stoppedAt = nowMs;
    this.#signal('SIGSTOP');
  }

  #go(nowMs: number): void {
    if (this.#stoppedAt === undefined) return;
    this.#stoodMs += nowMs - this.#stoppedAt;
    this.#stoppedAt = undefined;
    this.#signal('SIGCONT');
  }
}
