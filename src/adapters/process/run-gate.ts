/** The right of one run to use a processor. */
export interface GatePass {
  /** Told when the run begins or ends to wait inside a host call: meanwhile another run may begin. */
  setBlocked(blocked: boolean): void;
  /** Gives the right back, whatever state the run was in. */
  leave(): void;
}

/**
 * Lets a run begin only while fewer than `limit` are not blocked in a host call: more lanes than processors at work
 * cost everybody (sandbox.md 2). A run that comes back from a host call goes on at once, so there may be more for a
 * while.
 */
export class RunGate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs that wait to begin. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** First come, first served; at once where there is room. Never rejects. */
  enter(): GatePass | Promise<GatePass> {
    if (this.#active >= this.#limit) return this.#wait();
    this.#active += 1;
    return this.#pass();
  }

  async #wait(): Promise<GatePass> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#pass();
  }

  #pass(): GatePass {
    let holds = true;
    const setHolds = (next: boolean): void => {
      if (holds === next) return;
      holds = next;
      if (next) this.#active += 1;
      else this.#handOn();
    };
    return { setBlocked: (blocked) => setHolds(!blocked), leave: () => setHolds(false) };
  }

  /** Who is next takes the place over, so the count stays; with nobody waiting, or too many at work, it falls. */
  #handOn(): void {
    const next = this.#active <= this.#limit ? this.#waiting.shift() : undefined;
    if (next === undefined) this.#active -= 1;
    else next();
  }
}
