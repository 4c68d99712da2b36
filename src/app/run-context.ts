import type { DosResult } from '../core/dos-result.ts';
import { AppError, coerceError, type Lang, orThrow } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { type OnceKey, onceKey } from '../core/once-key.ts';
import type { DocumentStore } from '../ports/documents.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import type { HostCallAnswer } from '../ports/engine-runner.ts';
import type { SysLogRecord } from '../ports/journal.ts';
import type { RunContext, RunUser, ScriptDatabases } from '../ports/run-context.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableDesigner } from '../ports/table-designer.ts';
import type { AfterTableEvent, TableEventCall } from '../ports/table-events.ts';
import type { TableStore } from '../ports/table-store.ts';
import type { InboxClaim, TenantStore } from '../ports/tenant-store.ts';
import type { Span } from '../ports/tracer.ts';
import type { ConsoleLevel } from '../protocol/messages.ts';
import { toOutboxMessage } from './downlink-message.ts';
import { type BuiltMessage, buildMessage } from './message-build.ts';
import { describeSend, placeOf, startSendSpan, withDeviceContext } from './message-spans.ts';
import type { NestedTime } from './nested-time.ts';
import type { OnceBegin } from './once-frames.ts';
import type { RunTree } from './run-tree.ts';
import { refusedSend, sendLogRecord, sendResult } from './send-log.ts';

/** Starts what runs inside a call; wired by host-call-sink.ts so that no cycle of imports arises. */
export interface StartInside {
  readonly engine: (engineKey: string, param: JsonValue, caller: EngineRunContext) => Promise<HostCallAnswer>;
  readonly event: (event: TableEventCall, then: AfterTableEvent, caller: EngineRunContext) => Promise<HostCallAnswer>;
}

const CONSOLE_LEVEL: Readonly<Record<ConsoleLevel, 1 | 2 | 3>> = { log: 1, info: 1, warn: 2, error: 3 };

/** Where a host call is made. */
interface CallPlace {
  /** Engine keys from the root on. */
  readonly callPath: readonly string[];
  readonly span: Span;
}

/** The capabilities of one engine inside a run tree. */
export class EngineRunContext implements RunContext {
  readonly engineKey: string;
  /** Engine keys from the root to this one. */
  readonly callPath: readonly string[];
  /** The host call in its trace. */
  readonly span: Span;
  readonly #tree: RunTree;
  readonly #start: StartInside;
  readonly #time: NestedTime | undefined;
  #target: string | undefined;

  /** @param time of a nested engine. */
  constructor(tree: RunTree, { callPath, span }: CallPlace, start: StartInside, time?: NestedTime) {
    this.#tree = tree;
    this.engineKey = callPath.at(-1) ?? '';
    this.callPath = callPath;
    this.span = span;
    this.#start = start;
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
  traceHeaders(): Readonly<Record<string, string>> {
    const { traceParent, traceState } = this.span;
    return { traceparent: traceParent, ...(traceState === null ? {} : { tracestate: traceState }) };
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
    return this.#tree.transaction.tables(joins, this.#tree.options.alwaysJoin, () => this.signal);
  }

  sql(joins: boolean): Promise<SqlSession> {
    return this.#tree.transaction.sql(joins, this.#tree.options.alwaysJoin, () => this.signal);
  }

  databases(): ScriptDatabases {
    return this.#tree.databases;
  }

  designer(method: string): TableDesigner {
    const { transaction, options } = this.#tree;
    if (transaction.isOpen || options.alwaysJoin) throw new AppError('TABLE_IN_TRANSACTION', { method });
    return options.store.designer;
  }

  async documents(): Promise<DocumentStore> {
    const server = await this.#tree.services.documents.of(this.tenant);
    return server ?? this.#tree.transaction.documents(this.#tree.options.alwaysJoin);
  }

  runEngine(engineKey: string, param: JsonValue, joins: boolean): Promise<HostCallAnswer> {
    // One transaction serves the whole tree; `joins` only opens it early.
    if (!joins) return this.#start.engine(engineKey, param, this);
    return this.tables(true).then(() => this.#start.engine(engineKey, param, this));
  }

  async beginOnce(key: JsonValue): Promise<OnceBegin> {
    const { transaction, options } = this.#tree;
    const { store } = options;
    const claimed = orThrow(onceKey(this.engineKey, key));
    // Without a look first every repeated call would open a transaction.
    if (transaction.once.has(claimed) || (await isDone(store, claimed))) return 'duplicate';
    const begun = await transaction.beginOnce(onceClaim(claimed, this.engineKey, this.runId));
    if (begun === 'claimed' || (await isDone(store, claimed))) return begun;
    throw new AppError('DB_BUSY');
  }

  endOnce(keep: boolean): Promise<void> {
    return this.#tree.transaction.once.end(keep);
  }

  runTableEvent(event: TableEventCall, then: AfterTableEvent): Promise<HostCallAnswer> {
    return this.#start.event(event, then, this);
  }

  async sendMessage(message: Parameters<RunContext['sendMessage']>[0]): Promise<DosResult> {
    const { queueName, eventId, osClient } = message;
    const draft = { queueName, eventId, osClient, messageJson: JSON.stringify(message.message) };
    const waits = this.#waitsForCommit;
    const span = this.#startSend(waits);
    const sender = { tenant: this.tenant, userId: this.user?.id ?? null, trace: span };
    const built = buildMessage(draft, sender, this.ids);
    if (!built.ok) {
      span.end(built.refusal.error.code);
      return refusedSend(built.refusal, this.lang);
    }
    describeSend(span, this.#tree.services.tracer, waits ? 'create' : 'send', placeOf(built.value, this.tenant));
    const error = await this.#send(built.value).then(() => undefined, coerceError);
    span.end(error?.code);
    // One that waits has its row when it is sent: a run that is rolled back has sent nothing.
    if (!waits || error !== undefined) {
      this.#tree.options.store.journal.receiveLog(sendLogRecord(this.clock, built.value, draft.messageJson, error));
    }
    return sendResult(built.value.eventId, error, this.lang);
  }

  async publishToDevices(draft: DownlinkDraft): Promise<number | null> {
    const { downlink, tracer } = this.#tree.services;
    const message = downlink.check(this.tenant, draft);
    const span = this.#startSend(this.#waitsForCommit);
    const place = { destination: message.topic, system: 'mqtt', tenant: this.tenant, bytes: message.payload.length };
    describeSend(span, tracer, this.#waitsForCommit ? 'create' : 'send', place);
    // Devices are told of traces that somebody can look at.
    const told = tracer.isOn ? withDeviceContext(message, span) : message;
    const error = await this.#send(toOutboxMessage(told, this.ids, span)).then(() => undefined, coerceError);
    span.end(error?.code);
    if (error !== undefined) throw error;
    // The message is sent, or will be: that nobody can count now must not read as a failure.
    return downlink.subscribers(this.tenant, message.topic).catch(() => null);
  }

  #startSend(waits: boolean): Span {
    return startSendSpan(this.#tree.services.tracer, waits ? 'create' : 'send', this.span);
  }

  /** Joins the open transaction, or an inbox run's: an order that rolls back sends nothing (defaults.md 10.1). */
  async #send(message: BuiltMessage): Promise<void> {
    const { transaction, services } = this.#tree;
    if (this.#waitsForCommit) return transaction.addMessage(message);
    if (this.#tree.hasEnded) throw new AppError('DB_TX_LOST');
    await services.queue.publish(this.tenant, [message]);
  }

  get #waitsForCommit(): boolean {
    return this.#tree.transaction.isOpen || this.#tree.options.alwaysJoin;
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

/** Longest EngineKey of an inbox row; the names of table events may be longer, and are whole in the queue's name. */
const ENGINE_KEY_LENGTH = 50;

/** The row of a key. Its content is not compared: the key alone says what the work is. */
function onceClaim(key: OnceKey, engineKey: string, runId: string): InboxClaim {
  return { ...key, messageHash: '', attempt: 1, engineKey: engineKey.slice(0, ENGINE_KEY_LENGTH), version: '', runId };
}

/** Reads outside the transaction, whose snapshot may be older (delivery.md 4). @throws AppError DB_TORN. */
async function isDone(store: TenantStore, key: OnceKey): Promise<boolean> {
  const entry = await store.findInbox(key);
  if (entry?.status === 'run') throw new AppError('DB_TORN');
  return entry !== undefined;
}
