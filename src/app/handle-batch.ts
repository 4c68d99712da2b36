import type { EngineSource } from '../core/engine.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, coerceError } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { judgeDelivery } from '../core/verdict.ts';
import type { RunSlot } from '../ports/engine-runner.ts';
import type { OutboxRow, TenantTx } from '../ports/tenant-store.ts';
import { BatchPart } from './batch-transaction.ts';
import { type DeliveryHandler, type DeliveryServices, engineOf, profileOf } from './handle-delivery.ts';
import type { ReceivedMessage } from './received-message.ts';
import { claimOf, type FailedRun, findEngine, finishedClaim, messageTree, runScript } from './run-message.ts';
import type { RunTree } from './run-tree.ts';
import { WRITER_WAIT_MS } from './transaction-scope.ts';

/** A batch ends after this long, so that its locks and its author's messages do not wait. Milliseconds. */
const BATCH_MS = 100;

/** How one message of an open batch stands. */
type Part =
  | GoodPart
  | { readonly kind: 'failed'; readonly message: ReceivedMessage; readonly failure: FailedRun }
  | { readonly kind: 'duplicate'; readonly message: ReceivedMessage };

interface GoodPart {
  readonly kind: 'good';
  readonly message: ReceivedMessage;
  readonly tree: RunTree;
  readonly version: string;
  readonly transaction: BatchPart;
}

/**
 * Runs several messages of one binding in one transaction, one after the other (delivery.md 3.1 b): each has its mark,
 * its claim and its run, and one commit makes all of them done. Whatever ends the transaction or a sandbox under one
 * of them undoes all, and each runs again singly, where the spine decides about it.
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
    for (const part of batch.parts) await this.#settle(part, startedAt);
    await this.#dispatch(messages, batch.rows);
    const decided = new Set(batch.parts.map((part) => part.message));
    const rest = free.filter((message) => !decided.has(message));
    if (batch.parts.length > 0 && rest.length > 1) await this.handle(rest);
    else for (const message of rest) await this.#single.handleMessage(message);
    for (const message of copies) await this.#single.handleMessage(message);
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
      return 'kind' in engine ? UNDONE : await this.#runOnLane(messages, first, engine);
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
    const slot = await this.#services.runner.acquire(first.store.tenant, { engine, signal: this.#services.draining });
    try {
      const tx = await first.store.begin(WRITER_WAIT_MS);
      try {
        const parts = await this.#runParts(tx, messages, engine, slot);
        return { parts, rows: await this.#commit(tx, parts) };
      } catch (e) {
        await tx.rollback();
        throw e;
      }
    } finally {
      slot.release();
    }
  }

  async #runParts(
    tx: TenantTx,
    messages: readonly ReceivedMessage[],
    engine: EngineSource,
    slot: RunSlot,
  ): Promise<readonly Part[]> {
    const deadline = this.#services.clock.now() + BATCH_MS;
    const parts: Part[] = [];
    for (const message of messages) {
      if (parts.length > 0 && this.#services.clock.now() >= deadline) break;
      await tx.mark();
      const part = await this.#runPart(tx, message, engine, slot);
      if (part.kind !== 'good') await tx.undoToMark();
      parts.push(part);
    }
    return parts;
  }

  /** @throws AppError when the whole batch must be undone. */
  async #runPart(tx: TenantTx, message: ReceivedMessage, engine: EngineSource, slot: RunSlot): Promise<Part> {
    const runId = this.#services.ids.ulid();
    if ((await tx.claim(claimOf(message, engine, runId))) === 'duplicate') return { kind: 'duplicate', message };
    const transaction = new BatchPart(tx, message.store, runId, this.#services.outboxLimit);
    const tree = messageTree(this.#services, message, runId, transaction);
    const { outcome, doom } = await runScript(message, engine, tree, slot);
    transaction.end();
    this.#services.profiles.record(engineOf(message), profileOf(tree));
    if (doom !== undefined) throw new AppError(doom, { reason: doom });
    if (ENDS_BATCH.has(outcome.kind)) throw new AppError('DB_TX_LOST');
    const verdict = judgeDelivery(outcome, { engineKey: engine.key, legacyAck: message.binding.legacyAck });
    if (verdict.kind === 'success') return { kind: 'good', message, tree, version: engine.version, transaction };
    if (verdict.kind === 'unstarted') throw new AppError('DB_TX_LOST');
    const { error, deadReason } = verdict;
    return { kind: 'failed', message, failure: { kind: 'failed', tree, version: engine.version, error, deadReason } };
  }

  async #commit(tx: TenantTx, parts: readonly Part[]): Promise<readonly OutboxRow[]> {
    const good = parts.filter((part) => part.kind === 'good');
    if (good.length === 0) {
      await tx.rollback();
      return [];
    }
    return tx.commit({
      claims: good.map((part) => finishedClaim(part.message)),
      outbox: good.flatMap((part) => part.transaction.outbox),
    });
  }

  async #settle(part: Part, startedAt: number): Promise<void> {
    const { settler } = this.#services;
    switch (part.kind) {
      case 'good': {
        const { tree, version } = part;
        return settler.settle(part.message, { act: 'done', tree, version, outbox: [] }, startedAt);
      }
      case 'failed':
        return settler.settle(part.message, await this.#single.fail(part.message, part.failure, false), startedAt);
      case 'duplicate':
        // Its hash is compared before it is acknowledged.
        return this.#single.handleMessage(part.message);
    }
  }

  async #dispatch(messages: readonly ReceivedMessage[], rows: readonly OutboxRow[]): Promise<void> {
    const [first] = messages;
    if (first !== undefined) await this.#services.settler.dispatch(first.store, rows);
  }
}

interface Batch {
  readonly parts: readonly Part[];
  readonly rows: readonly OutboxRow[];
}

/** Nothing was decided: every message is handled singly. */
const UNDONE: Batch = { parts: [], rows: [] };

/** Ends under which the lane or the isolate was lost: the culprit is found by running each message alone. */
const ENDS_BATCH: ReadonlySet<RunOutcome['kind']> = new Set(['limit', 'crashed', 'unstarted']);
