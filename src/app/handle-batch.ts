import type { EngineSource } from '../core/engine.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, coerceError } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { judgeDelivery } from '../core/verdict.ts';
import type { RunSlot } from '../ports/engine-runner.ts';
import type { Doom, OutboxRow, TenantTx } from '../ports/tenant-store.ts';
import { BatchPart } from './batch-transaction.ts';
import { type DeliveryHandler, type DeliveryServices, engineOf, profileOf } from './handle-delivery.ts';
import type { ReceivedMessage } from './received-message.ts';
import { RunLocks } from './run-locks.ts';
import { claimOf, endRun, findEngine, finishedClaim, messageTree, scriptOf } from './run-message.ts';
import type { RunTree } from './run-tree.ts';
import { WRITER_WAIT_MS } from './transaction-scope.ts';

/** What was decided about a message by a batch that committed. */
type Part =
  | {
      readonly kind: 'done';
      readonly message: ReceivedMessage;
      readonly tree: RunTree;
      readonly version: string;
      readonly transaction: BatchPart;
    }
  | { readonly kind: 'duplicate'; readonly message: ReceivedMessage };

type DonePart = Extract<Part, { kind: 'done' }>;

/**
 * Runs several messages of one binding in one transaction, one after the other (delivery.md 3.1 b): one statement
 * claims them, one commit makes all of them done. A message that does not succeed undoes all, and each runs again
 * singly, where the spine decides about it. An engine that fails often is not run in batches, nor one with a lock: its
 * messages may be of different scopes.
 */
export class BatchHandler {
  readonly #services: DeliveryServices;
  readonly #single: DeliveryHandler;

  constructor(services: DeliveryServices, single: DeliveryHandler) {
    this.#services = services;
    this.#single = single;
  }

  /** Settles every message. Never rejects. @param messages first deliveries of different events, of one binding. */
  async handle(messages: readonly ReceivedMessage[]): Promise<void> {
    const startedAt = this.#services.clock.now();
    const { free, copies, release } = await this.#lockEvents(messages);
    const batch = await this.#runTogether(free);
    release();
    // Side by side: their acknowledgements leave in one packet.
    await Promise.all(batch.parts.map((part) => this.#settle(part, startedAt)));
    await this.#dispatch(messages, batch.rows);
    const undecided = batch === UNDONE ? [...free, ...copies] : copies;
    for (const message of undecided) await this.#single.handleMessage(message);
  }

  /** Takes the events that nobody holds here. A copy of a running one waits its turn singly. */
  async #lockEvents(messages: readonly ReceivedMessage[]) {
    const free: ReceivedMessage[] = [];
    const copies: ReceivedMessage[] = [];
    const releases: (() => void)[] = [];
    for (const message of messages) {
      const held = this.#services.locks.isRunning(message);
      const release = held ? undefined : await this.#services.locks.event(message, () => Promise.resolve());
      if (release === undefined) copies.push(message);
      else {
        free.push(message);
        releases.push(release);
      }
    }
    const releaseAll = (): void => {
      for (const release of releases) release();
    };
    return { free, copies, release: releaseAll };
  }

  /** @returns the decided parts and the stored outbox rows; no part when the batch was undone. */
  async #runTogether(messages: readonly ReceivedMessage[]): Promise<Batch> {
    const [first] = messages;
    if (first === undefined) return UNDONE;
    const { locks, draining, log } = this.#services;
    const release = first.store.singleWriter ? await locks.writer(first.store, draining) : () => undefined;
    if (release === undefined) return UNDONE;
    try {
      const engine = await findEngine(this.#services, first);
      const isFree = !('kind' in engine) && this.#services.pauses.isFree(first.store.tenant, engine.key);
      return isFree && engine.lock === undefined ? await this.#runOnLane(messages, first, engine) : UNDONE;
    } catch (e) {
      const error = coerceError(e);
      const fields = { tenantId: first.store.tenant, queue: first.key.queue, messages: messages.length };
      log[ERROR_TABLE[error.code].level]('delivery.batch_undone', { ...fields, code: error.code, err: error });
      return UNDONE;
    } finally {
      release();
    }
  }

  async #runOnLane(messages: readonly ReceivedMessage[], first: ReceivedMessage, engine: EngineSource): Promise<Batch> {
    const { runner, limits, draining } = this.#services;
    const { tenant } = first.store;
    const slot = await runner.acquire(tenant, { engine, ...limits.runsOf(tenant), signal: draining });
    const locks = new RunLocks(this.#services, tenant);
    try {
      const tx = await first.store.begin(WRITER_WAIT_MS);
      try {
        return await this.#runInTransaction(tx, messages, { engine, slot, locks });
      } catch (e) {
        await tx.rollback();
        throw e;
      }
    } finally {
      await locks.releaseAll();
      slot.release();
    }
  }

  async #runInTransaction(tx: TenantTx, messages: readonly ReceivedMessage[], lane: BatchLane): Promise<Batch> {
    const runs = messages.map((message) => ({ message, runId: this.#services.ids.ulid() }));
    const answers = await tx.claimAll(runs.map(({ message, runId }) => claimOf(message, lane.engine, runId)));
    const claimed = runs.filter((_, index) => answers[index] === 'claimed');
    const known = runs.filter((_, index) => answers[index] === 'duplicate').map(({ message }) => message);
    const done = await this.#runClaimed(tx, claimed, lane);
    // The next batch may run while this one is committed.
    lane.slot.release();
    if (done === undefined) {
      await tx.rollback();
      return UNDONE;
    }
    lane.locks.assertHeld();
    const rows = await commitTogether(tx, done);
    return { parts: [...done, ...known.map((message) => ({ kind: 'duplicate', message }) as const)], rows };
  }

  /**
   * Hands all runs over at once: the lane begins each when the one before it has ended, without asking the host. So
   * runs behind a failed one happen, too, and are undone with it.
   * @returns undefined when a run did not succeed. @throws AppError when the transaction was lost.
   */
  async #runClaimed(
    tx: TenantTx,
    claims: readonly ClaimedMessage[],
    lane: BatchLane,
  ): Promise<readonly DonePart[] | undefined> {
    const { engine, slot } = lane;
    const parts: DonePart[] = [];
    for (const claim of claims) parts.push(this.#openPart(tx, claim, lane, parts.at(-1)));
    const scripts = parts.map(({ message, tree }) => scriptOf(message, engine, tree));
    const results = slot.runAll(scripts, true);
    let doom: Doom | undefined;
    let failed = false;
    for (const [index, part] of parts.entries()) {
      part.tree.begin();
      // A failure is recorded by the single run that follows, which also knows whose it was.
      const ended = await endRun(part.tree, engine, await (results[index] as Promise<RunOutcome>), false);
      part.transaction.end();
      doom ??= ended.doom;
      const verdict = judgeDelivery(ended.outcome, {
        engineKey: engine.key,
        legacyAck: part.message.binding.legacyAck,
      });
      // Savepoints of messages must not cross: what one left open is undone with all of them.
      if (verdict.kind !== 'success' || part.transaction.once.depth > 0) failed = true;
      else this.#services.profiles.record(engineOf(part.message), { ...profileOf(part.tree), failed: false });
    }
    if (doom !== undefined) throw new AppError(doom, { reason: doom });
    return failed ? undefined : parts;
  }

  #openPart(
    tx: TenantTx,
    { message, runId }: ClaimedMessage,
    { engine, locks }: BatchLane,
    before: DonePart | undefined,
  ): DonePart {
    const place = { store: message.store, runId, limit: this.#services.outboxLimit };
    const transaction = new BatchPart(tx, place, before?.transaction);
    const tree = messageTree(this.#services, { message, engine, runId, transaction, locks });
    return { kind: 'done', message, tree, version: engine.version, transaction };
  }

  async #settle(part: Part, startedAt: number): Promise<void> {
    if (part.kind === 'duplicate') {
      // Its hash is compared before it is acknowledged.
      return this.#single.handleMessage(part.message);
    }
    const { message, tree, version } = part;
    return this.#services.settler.settle(message, { act: 'done', tree, version, outbox: [] }, startedAt);
  }

  async #dispatch(messages: readonly ReceivedMessage[], rows: readonly OutboxRow[]): Promise<void> {
    const [first] = messages;
    if (first !== undefined) await this.#services.settler.dispatch(first.store, rows);
  }
}

/** One commit, which stands in the trace of each of its messages. */
async function commitTogether(tx: TenantTx, done: readonly DonePart[]): Promise<readonly OutboxRow[]> {
  const spans = done.map(({ tree }) => tree.startCommit());
  let error: string | undefined;
  try {
    return await tx.commit({
      claims: done.flatMap((part) => [finishedClaim(part.message), ...part.transaction.once.claims]),
      outbox: done.flatMap((part) => part.transaction.outbox),
    });
  } catch (e) {
    error = coerceError(e).code;
    throw e;
  } finally {
    for (const span of spans) span.end(error);
  }
}

interface Batch {
  readonly parts: readonly Part[];
  readonly rows: readonly OutboxRow[];
}

/** What the messages of a batch run on. */
interface BatchLane {
  readonly engine: EngineSource;
  readonly slot: RunSlot;
  /** Of the engines nested in them, held until the commit of all. */
  readonly locks: RunLocks;
}

/** Nothing was decided: every message is handled singly. */
const UNDONE: Batch = { parts: [], rows: [] };

/** A message whose inbox row this batch has inserted. */
interface ClaimedMessage {
  readonly message: ReceivedMessage;
  readonly runId: string;
}
