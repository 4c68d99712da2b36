/**
 * The spine: what happens to one message, from its delivery to its settlement (delivery.md 3.1).
 *
 *   check envelope -> one at a time per event -> ask the inbox -> claim, run, commit -> acknowledge -> send onward
 *
 * A delivery is acknowledged only when its effects, its parked row or an earlier run's effects are stored. Whatever
 * cannot be decided now is held for a moment and given back, uncounted.
 */
import type { Binding } from '../core/binding.ts';
import { AppError } from '../core/errors.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { consultInbox, type InboxAnswer } from './consult-inbox.ts';
import { CrashCount } from './crash-count.ts';
import type { EngineProfiles } from './engine-profile.ts';
import type { MessageLocks } from './message-locks.ts';
import { parkBehind, parkFailed, parkRefused } from './park-message.ts';
import { isRepeated, mayBeParked, type ReceivedMessage } from './received-message.ts';
import { type FailedRun, type MessageOutcome, type RunMessageServices, runMessage } from './run-message.ts';
import type { DeliverySettler } from './settle-delivery.ts';
import type { Settlement } from './settlement.ts';

/** How long a copy waits for the running one before it is given back (G3). Milliseconds. */
const COPY_WAIT_MS = 3_000;

/** Tries in place for what is not the message's fault. */
const MAX_TRIES = 3;

export interface DeliveryServices extends RunMessageServices {
  readonly locks: MessageLocks;
  readonly settler: DeliverySettler;
  readonly profiles: EngineProfiles;
}

/** Handles deliveries one by one. */
export class DeliveryHandler {
  readonly #services: DeliveryServices;

  constructor(services: DeliveryServices) {
    this.#services = services;
  }

  /** Settles a message whose envelope was checked. Never rejects. */
  async handleMessage(message: ReceivedMessage): Promise<void> {
    const startedAt = this.#services.clock.now();
    const settlement = await this.#decideExclusively(message);
    await this.#services.settler.settle(message, settlement, startedAt);
  }

  /** Step 2: one run per event in this process. */
  async #decideExclusively(message: ReceivedMessage): Promise<Settlement> {
    const { locks, clock, draining, settler } = this.#services;
    const waited = locks.isRunning(message);
    const release = await locks.event(message, (over) => clock.sleep(COPY_WAIT_MS, AbortSignal.any([draining, over])));
    if (release === undefined) return { act: 'defer', error: new AppError('DB_BUSY') };
    try {
      return await this.#decide(message, waited);
    } catch (e) {
      return settler.defer(message.store, e);
    } finally {
      release();
    }
  }

  /** Step 3: what may have happened before is asked first. */
  async #decide(message: ReceivedMessage, waited: boolean): Promise<Settlement> {
    if (message.binding.inbox && (waited || isRepeated(message))) {
      const known = await this.#act(message, await consultInbox(message), false);
      if (known !== undefined) return known;
    }
    const behind = await this.#keepOrder(message);
    if (behind !== undefined) return behind;
    const crashes = new CrashCount(message);
    try {
      const settlement = await this.#tryInPlace(message, crashes);
      if (settlement.act === 'defer') await crashes.takeBack();
      return settlement;
    } catch (e) {
      await crashes.takeBack();
      throw e;
    }
  }

  /** While an earlier message of its order key is parked, a message waits behind it. Undefined means: run it. */
  async #keepOrder(message: ReceivedMessage): Promise<Settlement | undefined> {
    const { store, key, messageHash, orderKey } = message;
    if (orderKey === undefined) return undefined;
    if ((await store.parked.placeOf({ ...key, messageHash }, orderKey)) !== 'behind') return undefined;
    const request = parkBehind(message, this.#services.lang);
    return this.#services.settler.park(store, { act: 'parked', request, tree: undefined, error: undefined }, false);
  }

  /** Steps 4 to 8: runs, and runs again at once when nothing of the message is at fault. */
  async #tryInPlace(message: ReceivedMessage, crashes: CrashCount): Promise<Settlement> {
    const { settler, clock, ids, draining } = this.#services;
    let last = new AppError('DB_BUSY');
    for (let round = 1; round <= MAX_TRIES; round += 1) {
      const outcome = await this.#run(message, crashes);
      this.#remember(message, outcome);
      switch (outcome.kind) {
        case 'done':
          // With an inbox the commit itself ended the count.
          if (!message.binding.inbox) await crashes.end();
          return { act: 'done', tree: outcome.tree, version: outcome.version, outbox: outcome.outbox };
        case 'failed':
          return this.fail(message, outcome, crashes.counted);
        case 'later':
          return settler.defer(message.store, outcome.error);
        case 'transient':
          last = outcome.error;
          break;
        default: {
          if (outcome.kind === 'torn') last = new AppError('DB_TORN');
          const answer = await answerTo(outcome.kind, message);
          const known = await this.#act(message, answer, crashes.counted);
          if (known !== undefined) return known;
          last = new AppError('DB_TORN');
        }
      }
      await clock.sleep((10 + 40 * ids.random()) * round, draining);
    }
    return settler.defer(message.store, last);
  }

  async #run(message: ReceivedMessage, crashes: CrashCount): Promise<MessageOutcome> {
    if (!message.store.singleWriter || !message.binding.inbox) return runMessage(this.#services, message, crashes);
    const release = await this.#services.locks.writer(message.store, this.#services.draining);
    if (release === undefined) return { kind: 'later', error: new AppError('DRAINING') };
    try {
      return await runMessage(this.#services, message, crashes);
    } finally {
      release();
    }
  }

  /** Turns what the committed state says into a settlement; undefined means: run it. */
  async #act(message: ReceivedMessage, answer: InboxAnswer, crashCounted: boolean): Promise<Settlement | undefined> {
    if (answer.kind === 'run') return undefined;
    if (answer.kind === 'duplicate') {
      if (mayBeParked(message))
        await message.store.parked.resolve({ ...message.key, messageHash: message.messageHash });
      if (message.delivery.redelivered) await message.store.crashes.clear(message.key);
      return { act: 'duplicate' };
    }
    const request = parkRefused(message, answer.reason, this.#services.lang);
    const settlement = { act: 'parked', request, tree: undefined, error: undefined } as const;
    return this.#services.settler.park(message.store, settlement, crashCounted);
  }

  /** Step 8: the attempt counts; the message waits or is dead. */
  fail(message: ReceivedMessage, failure: FailedRun, crashCounted: boolean): Promise<Settlement> {
    const request = parkFailed(message, failure, this.#services.ids.random(), this.#services.lang);
    const settlement = { act: 'parked', request, tree: failure.tree, error: failure.error } as const;
    return this.#services.settler.park(message.store, settlement, crashCounted);
  }

  #remember(message: ReceivedMessage, outcome: MessageOutcome): void {
    if (outcome.kind !== 'done' && outcome.kind !== 'failed') return;
    if (outcome.tree === undefined) return;
    const run = { ...profileOf(outcome.tree), failed: outcome.kind === 'failed' };
    this.#services.profiles.record(engineOf(message), run);
  }
}

/** What is known about a message that did not run. */
async function answerTo(kind: 'duplicate' | 'torn' | 'too-dangerous', message: ReceivedMessage): Promise<InboxAnswer> {
  return kind === 'too-dangerous' ? { kind: 'dead', reason: 'host-crash' } : consultInbox(message);
}

/** An engine's name in the profiles. */
export function engineOf(message: { store: TenantStore; binding: Binding }): string {
  return `${message.store.tenant} ${message.binding.engineKey}`.toLowerCase();
}

/** What the profiles keep of a run. */
export function profileOf(tree: NonNullable<FailedRun['tree']>) {
  return { durationMs: tree.services.clock.now() - tree.startedAt, wentOutside: tree.wentOutside };
}
