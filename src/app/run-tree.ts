import { AppError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { LimitPlace } from '../core/limit-report.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { Cache } from '../ports/cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { DocumentServers } from '../ports/documents.ts';
import type { Downlink } from '../ports/downlink.ts';
import type { ExtraDatabases } from '../ports/extra-databases.ts';
import type { HttpClient } from '../ports/http-client.ts';
import type { Ids } from '../ports/ids.ts';
import type { HostCallTrace } from '../ports/journal.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Queue } from '../ports/queue.ts';
import type { RunUser } from '../ports/run-context.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { Span, Tracer } from '../ports/tracer.ts';
import type { TrustedModules } from '../ports/trusted-modules.ts';
import type { CallRates } from './call-rates.ts';
import type { EngineAddresses } from './engine-addresses.ts';
import type { EngineCache } from './engine-cache.ts';
import type { EnginePauses } from './engine-pauses.ts';
import type { LimitBook } from './limit-book.ts';
import type { LockKeeper } from './lock-keeper.ts';
import type { OutboxLimit } from './outbox-limit.ts';
import { RunDatabases } from './run-databases.ts';
import type { EngineLocks } from './run-locks.ts';
import { databaseSystem, startRunSpan, type TracedRun } from './run-spans.ts';
import type { TenantSettingsCache } from './tenant-settings-cache.ts';
import type { RunTransaction } from './transaction-scope.ts';

/** Services every run uses. */
export interface RunServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly http: HttpClient;
  readonly cache: Cache;
  readonly documents: DocumentServers;
  readonly databases: ExtraDatabases;
  readonly queue: Queue;
  readonly engines: EngineCache;
  readonly addresses: EngineAddresses;
  readonly limits: LimitBook;
  readonly pauses: EnginePauses;
  readonly rates: CallRates;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly settings: TenantSettingsCache;
  readonly modules: TrustedModules;
  readonly outboxLimit: OutboxLimit;
  readonly engineLocks: LockKeeper;
  readonly downlink: Downlink;
  readonly log: Log;
}

/** The message that started a run. */
export interface RunEvent {
  /** Physical queue. */
  readonly queue: string;
  readonly eventId: string;
}

export interface RunTreeOptions {
  readonly runId: string;
  readonly transaction: RunTransaction;
  readonly locks: EngineLocks;
  readonly store: TenantStore;
  /** Of the root engine; the wall time and the number of host calls hold for the whole tree. */
  readonly limits: RunLimits;
  readonly lang: Lang;
  readonly user: RunUser | undefined;
  readonly event: RunEvent | undefined;
  /** The root engine, and what its run follows from. */
  readonly trace: TracedRun;
  /** True in an inbox run: everything joins its transaction. */
  readonly alwaysJoin: boolean;
}

/** Why the calls of an ended run are aborted. Made once: an exception per run costs more than the abort. */
const RUN_ENDED = new AppError('DB_TX_LOST');

/** Families of host calls whose effects the platform transaction undoes, and those that have none. */
const INSIDE: ReadonlySet<string> = new Set([
  ...['FormEngine', 'Db', 'DbTrans', 'DbRead', 'MQ', 'MQTT', 'ApiEngine', 'Method'],
  ...['Inbox', 'EncryptHelper', 'System', 'SysConfig', 'OsClientModel'],
]);

/** Most host calls of one run that its story keeps; the count goes on. */
const TRACED_CALLS = 200;

/** What one root run and the engines nested in it share: the transaction, the deadline, the trace. */
export class RunTree {
  readonly services: RunServices;
  readonly options: RunTreeOptions;
  readonly runId: string;
  readonly transaction: RunTransaction;
  readonly traces: HostCallTrace[] = [];
  #abort: AbortController | undefined;
  #hasEnded = false;
  #startedAt: number;
  readonly #requests = new Map<string, number>();
  #wentOutside = false;
  #slowed = false;
  #dependencyFailed = false;
  #end: ErrorRecord | undefined;
  readonly #inFlight = new Set<Promise<unknown>>();
  #databases: RunDatabases | undefined;
  #span: Span | undefined;

  constructor(services: RunServices, options: RunTreeOptions) {
    this.services = services;
    this.options = options;
    this.runId = options.runId;
    this.#startedAt = services.clock.now();
    this.transaction = options.transaction;
  }

  /** When the script began; before that, when its message or call was taken up. Milliseconds UTC. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** What the run opens beside the tenant's database; made when it is first asked for. */
  get databases(): RunDatabases {
    this.#databases ??= new RunDatabases(this.services.databases, this.options.store);
    return this.#databases;
  }

  /** The script begins now: what it waited for a lane or a lock is not its time. */
  begin(): void {
    this.#startedAt = this.services.clock.now();
    if (this.services.tracer.isOn) this.span.set({});
  }

  /** The root engine's run in its trace. It starts when it is first asked for: as the script begins. */
  get span(): Span {
    this.#span ??= startRunSpan(this.services.tracer, this.#place, this.options.trace);
    return this.#span;
  }

  /** The commit of the transaction in the trace, beside the run. */
  startCommit(): Span {
    const { trace, store } = this.options;
    return this.services.tracer.start('commit', {
      kind: 'client',
      parent: trace.parent ?? this.span,
      attributes: {
        'db.system.name': databaseSystem(store),
        'db.operation.name': 'COMMIT',
        'v8host.tenant': store.tenant,
        'v8host.run_id': this.runId,
      },
    });
  }

  /** An engine inside this tree, in its trace. @param parent the call that runs it. */
  startNested(engineKey: string, version: string, parent: Span): Span {
    return startRunSpan(this.services.tracer, this.#place, { engineKey, version, parent });
  }

  get #place() {
    return { tenant: this.options.store.tenant, runId: this.runId };
  }

  /** Aborted when the run ends. Made when it is first asked for: few runs do, and each would pay for it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#hasEnded) this.#abort.abort(RUN_ENDED);
    return this.#abort.signal;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get eventId(): string {
    return this.options.event?.eventId ?? '';
  }

  remainingMs(): number {
    return Math.max(0, this.#startedAt + this.options.limits.wallMs - this.services.clock.now());
  }

  /** Counts the requests to one target, those of nested engines included. */
  countRequest(target: string): number {
    const number = (this.#requests.get(target) ?? 0) + 1;
    this.#requests.set(target, number);
    return number;
  }

  /** Where a limit was hit, for the report of it. @param callPath engine keys from the root on. */
  placeOf(callPath: readonly string[]): LimitPlace {
    return { rootRunId: this.runId, callPath, background: this.options.event !== undefined };
  }

  /** True when a host call of this run found its server away, out of time or answering 5xx. */
  get dependencyFailed(): boolean {
    return this.#dependencyFailed;
  }

  markDependencyFailed(): void {
    this.#dependencyFailed = true;
  }

  /** False when the same end was heard of already, from an engine further in. */
  isNewEnd(error: ErrorRecord): boolean {
    const isNew = this.#end !== error;
    this.#end = error;
    return isNew;
  }

  /** True the first time only: the author is told once that the tenant's rate slowed the run. */
  markSlowed(): boolean {
    const first = !this.#slowed;
    this.#slowed = true;
    return first;
  }

  /** Follows one host call, so that the run's end can wait for it. */
  async track<T>(call: () => Promise<T>): Promise<T> {
    const running = call();
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  /** True when a host call left the tenant's database and queue, so that a rollback does not undo it. */
  get wentOutside(): boolean {
    return this.#wentOutside;
  }

  addTrace(trace: HostCallTrace): void {
    if (!INSIDE.has(trace.name.slice(0, trace.name.indexOf('.')))) this.#wentOutside = true;
    if (this.traces.length < TRACED_CALLS) this.traces.push(trace);
  }

  /** Ends the run: its host calls under way are aborted and waited for, before the transaction is decided. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#abort?.abort(RUN_ENDED);
    const left = (await this.#databases?.close()) ?? 0;
    if (left > 0) this.#tellOfRollback();
    await Promise.allSettled(this.#inFlight);
  }

  #tellOfRollback(): void {
    this.options.store.journal.sysLog({
      type: 'console',
      title: 'V8.Dbs',
      content:
        'BeginTransaction: 运行结束时仍未提交，已回滚 / was neither committed nor rolled back when the run ended: rolled back',
      level: 2,
      eventId: this.eventId,
      runId: this.runId,
    });
  }
}
