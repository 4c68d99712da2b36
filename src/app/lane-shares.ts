import type { RunOutcome } from '../core/run-outcome.ts';
import type { LaneRequest, RunSlot, SlotRun } from '../ports/engine-runner.ts';
import type { CallServices } from './call-engine.ts';
import { EngineProfiles } from './engine-profile.ts';
import { isKilled } from './run-message.ts';
import type { RunTree } from './run-tree.ts';

/** A script with its input, and the tree that it is the root of. */
export interface SharedRun extends SlotRun {
  readonly tree: RunTree;
}

export type SharedLaneRequest = LaneRequest & Required<Pick<LaneRequest, 'engine' | 'waitMs'>>;

interface Waiting {
  readonly run: SharedRun;
  readonly outcome: PromiseWithResolvers<RunOutcome>;
}

/** Runs that wait for one lane together. */
interface Share {
  /** When the wait for the lane ends. Milliseconds UTC. */
  readonly until: number;
  readonly waiting: Waiting[];
}

/** Runs that are sent to a lane together at most: each waits for those before it. */
const MOST_TOGETHER = 8;

/**
 * Lanes for short runs that come in floods: runs of one engine that find every lane busy wait together and are handed
 * over at once, so that a hop to the lane and back serves several. Each has its own transaction and its own end. Only
 * an engine that has shown to be quick shares (engine-profile.ts), so nobody waits long behind another.
 */
export class LaneShares {
  readonly #services: CallServices;
  readonly #profiles = new EngineProfiles();
  /** The share that the next run of an engine joins. */
  readonly #open = new Map<string, Share>();

  constructor(services: CallServices) {
    this.#services = services;
  }

  /** Runs a script to its end. @throws AppError as `EngineRunner.acquire`. */
  run(tenant: string, request: SharedLaneRequest, run: SharedRun): Promise<RunOutcome> {
    const { key, version } = request.engine;
    const place = [tenant, key, version].join('\n');
    const isFree = this.#services.pauses.isFree(tenant, key);
    const size = isFree ? Math.min(this.#profiles.batchSize(place), MOST_TOGETHER) : 1;
    const until = this.#services.clock.now() + request.waitMs;
    const waiting = { run, outcome: Promise.withResolvers<RunOutcome>() };
    const open = this.#open.get(place);
    // Whoever has less time than those who wait already must not wait as long as they.
    if (open !== undefined && open.waiting.length < size && open.until <= until) {
      open.waiting.push(waiting);
    } else {
      const share = { until, waiting: [waiting] };
      if (size > 1) this.#open.set(place, share);
      void this.#serve(tenant, place, request, share);
    }
    return waiting.outcome.promise;
  }

  async #serve(tenant: string, place: string, request: SharedLaneRequest, share: Share): Promise<void> {
    try {
      const slot = await this.#services.runner.acquire(tenant, request);
      this.#close(place, share);
      try {
        await this.#runAll(slot, place, share.waiting);
      } finally {
        slot.release();
      }
    } catch (e) {
      this.#close(place, share);
      for (const { outcome } of share.waiting) outcome.reject(e);
    }
  }

  #close(place: string, share: Share): void {
    if (this.#open.get(place) === share) this.#open.delete(place);
  }

  async #runAll(slot: RunSlot, place: string, waiting: readonly Waiting[]): Promise<void> {
    const together = waiting.length > 1 ? slot.runAll(waiting.map(({ run }) => run)) : [];
    for (const [index, { run, outcome }] of waiting.entries()) {
      run.tree.begin();
      let result = await together[index];
      // Not its own fault: the lane was lost to another one of them, or one was too large to be sent.
      if (result === undefined || result.kind === 'unstarted') result = await slot.run(run.start, run.calls);
      this.#record(place, run.tree, result);
      outcome.resolve(result);
    }
  }

  #record(place: string, tree: RunTree, result: RunOutcome): void {
    const durationMs = this.#services.clock.now() - tree.startedAt;
    this.#profiles.record(place, { durationMs, wentOutside: tree.wentOutside, failed: isKilled(result) });
  }
}
