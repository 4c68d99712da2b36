import type { DosResult } from '../core/dos-result.ts';
import { AppError, coerceError, type Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import type { HostCallAnswer } from '../ports/engine-runner.ts';
import type { SysLogRecord } from '../ports/journal.ts';
import type { RunContext, RunUser } from '../ports/run-context.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableStore } from '../ports/table-store.ts';
import type { ConsoleLevel } from '../protocol/messages.ts';
import { toOutboxMessage } from './downlink-message.ts';
import { type BuiltMessage, buildMessage } from './message-build.ts';
import type { NestedTime } from './nested-time.ts';
import type { RunTree } from './run-tree.ts';
import { refusedSend, sendLogRecord, sendResult } from './send-log.ts';

/** Starts a nested engine; wired by host-call-sink.ts so that no cycle of imports arises. */
export type StartNested = (engineKey: string, param: JsonValue) => Promise<HostCallAnswer>;

const CONSOLE_LEVEL: Readonly<Record<ConsoleLevel, 1 | 2 | 3>> = { log: 1, info: 1, warn: 2, error: 3 };

/** The capabilities of one engine inside a run tree. */
export class EngineRunContext implements RunContext {
  readonly engineKey: string;
  /** Engine keys from the root to this one. */
  readonly callPath: readonly string[];
  readonly #tree: RunTree;
  readonly #startNested: StartNested;
  readonly #time: NestedTime | undefined;
  #target: string | undefined;

  /** @param time of a nested engine. */
  constructor(tree: RunTree, callPath: readonly string[], startNested: StartNested, time?: NestedTime) {
    this.#tree = tree;
    this.engineKey = callPath.at(-1) ?? '';
    this.callPath = callPath;
    this.#startNested = startNested;
    this.#time = time;
  }

  get tenant(): string {
    return this.#tree.options.store.tenant;
  }
  get runId(): string {
    return this.#tree.runId;
  }
  get lang(): Lang {
    return this.#tree.options.lang;
  }
  get user(): RunUser | undefined {
    return this.#tree.options.user;
  }
  get signal(): AbortSignal {
    return this.#time?.signalWithin(this.#tree.signal) ?? this.#tree.signal;
  }
  get event(): RunContext['event'] {
    return this.#tree.options.event;
  }
  get clock(): RunContext['clock'] {
    return this.#tree.services.clock;
  }
  get ids(): RunContext['ids'] {
    return this.#tree.services.ids;
  }
  get http(): RunContext['http'] {
    return this.#tree.services.http;
  }

  get cache(): RunContext['cache'] {
    return this.#tree.services.cache;
  }

  requestNumber(target: string): number {
    return this.#tree.countRequest(target);
  }

  remainingMs(): number {
    return Math.min(this.#tree.remainingMs(), this.#time?.remainingMs() ?? Number.POSITIVE_INFINITY);
  }

  tables(joins: boolean): Promise<TableStore> {
    return this.#tree.transaction.tables(joins, this.#tree.options.alwaysJoin);
  }

  sql(joins: boolean): Promise<SqlSession> {
    return this.#tree.transaction.sql(joins, this.#tree.options.alwaysJoin);
  }

  runEngine(engineKey: string, param: JsonValue, joins: boolean): Promise<HostCallAnswer> {
    // One transaction serves the whole tree; `joins` only opens it early.
    if (!joins) return this.#startNested(engineKey, param);
    return this.tables(true).then(() => this.#startNested(engineKey, param));
  }

  async sendMessage(message: Parameters<RunContext['sendMessage']>[0]): Promise<DosResult> {
    const { queueName, eventId, osClient } = message;
    const draft = { queueName, eventId, osClient, messageJson: JSON.stringify(message.message) };
    const built = buildMessage(draft, this.#tree.sender(), this.ids);
    if (!built.ok) return refusedSend(built.refusal, this.lang);
    const error = await this.#send(built.value).then(() => undefined, coerceError);
    this.#tree.options.store.journal.receiveLog(sendLogRecord(this.clock, built.value, draft.messageJson, error));
    return sendResult(built.value.eventId, error, this.lang);
  }

  async publishToDevices(draft: DownlinkDraft): Promise<number> {
    const { downlink } = this.#tree.services;
    const message = downlink.check(this.tenant, draft);
    await this.#send(toOutboxMessage(message, this.ids));
    return downlink.subscribers(this.tenant, message.topic);
  }

  /** Joins the open transaction, or an inbox run's: an order that rolls back sends nothing (defaults.md 10.1). */
  async #send(message: BuiltMessage): Promise<void> {
    const { transaction, options, services } = this.#tree;
    if (transaction.isOpen || options.alwaysJoin) return transaction.addMessage(message);
    if (this.#tree.hasEnded) throw new AppError('DB_TX_LOST');
    await services.queue.publish(this.tenant, [message]);
  }

  sysConfig(): Promise<JsonObject> {
    return this.#tree.services.settings.sysConfig(this.#tree.options.store);
  }

  tenantModel(): Promise<JsonObject> {
    return this.#tree.services.settings.tenantModel(this.tenant);
  }

  sysLog(record: Omit<SysLogRecord, 'eventId' | 'runId'>): void {
    this.#tree.options.store.journal.sysLog({ ...record, eventId: this.#tree.eventId, runId: this.runId });
  }

  console(level: ConsoleLevel, line: string): void {
    this.sysLog({ type: 'console', title: this.engineKey, content: line, level: CONSOLE_LEVEL[level] });
  }

  dependencyFailed(): void {
    this.#tree.markDependencyFailed();
  }

  touch(target: string): void {
    this.#target = target;
  }

  /** What the call that just ended touched. */
  takeTarget(): string | undefined {
    const target = this.#target;
    this.#target = undefined;
    return target;
  }
}
