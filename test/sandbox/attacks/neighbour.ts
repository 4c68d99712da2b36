import { setTimeout as sleep } from 'node:timers/promises';
import type { RunOutcome } from '../../../src/core/run-outcome.ts';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import { runScript } from '../../support/lanes.ts';

/** Pause between two runs: a tenant with steady work that leaves processors to the attack. */
const PAUSE_MS = 5;

/** What the neighbour's script does: reads its parameter, calls the host once and uses a built-in. */
const SOURCE = `
  const answer = V8.FormEngine.GetFormData('stock', {Id: V8.Param.Id});
  return {Code: answer.Code, Id: [V8.Param.Id].map((id) => id + 1)[0], global: typeof globalThis.planted};
`;

/** Another tenant who works all the while, and must not notice anything. */
export class Neighbour {
  readonly #lanes: EngineRunner;
  readonly #working: Promise<void>;
  #stopped = false;
  #runs = 0;
  #failure: string | undefined;

  constructor(lanes: EngineRunner) {
    this.#lanes = lanes;
    this.#working = this.#work();
  }

  /** Runs that have ended, all of them as they should unless `failure` says otherwise. */
  get runs(): number {
    return this.#runs;
  }

  /** The first run that ended in another way than it should. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let id = 0; !this.#stopped; id++) {
      const { outcome } = await runScript(this.#lanes, SOURCE, {
        tenant: 'neighbour',
        engineKey: 'neighbour',
        input: { Param: { Id: id } },
      });
      this.#check(id, outcome);
      await sleep(PAUSE_MS);
    }
  }

  #check(id: number, outcome: RunOutcome): void {
    this.#runs += 1;
    const json = JSON.stringify({ Code: 1, Id: id + 1, global: 'undefined' });
    if (outcome.kind !== 'returned' || outcome.json !== json) this.#failure ??= JSON.stringify(outcome).slice(0, 300);
  }
}
