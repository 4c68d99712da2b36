/**
 * A run as host calls see it, without a sandbox: a RunContext whose ids, clock and network are given, and a `call`
 * that passes arguments through JSON as the boundary does.
 */
import { createHash } from 'node:crypto';
import { type DosResult, succeed } from '../../src/core/dos-result.ts';
import type { Lang } from '../../src/core/errors.ts';
import type { JsonValue } from '../../src/core/json.ts';
import type { Cache } from '../../src/ports/cache.ts';
import type { DocumentStore } from '../../src/ports/documents.ts';
import type { DownlinkDraft } from '../../src/ports/downlink.ts';
import type { HostCallAnswer } from '../../src/ports/engine-runner.ts';
import type { HttpRequest, HttpResponse } from '../../src/ports/http-client.ts';
import type { RunContext, RunUser } from '../../src/ports/run-context.ts';
import type { SqlSession } from '../../src/ports/sql-session.ts';
import type { TableStore } from '../../src/ports/table-store.ts';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import { HOST_CALLS } from '../../src/v8-api/host-calls.ts';

/** 2026-03-04 05:06:07.890 UTC, and how the clock writes it. */
export const NOW_MS = Date.UTC(2026, 2, 4, 5, 6, 7, 890);
export const NOW_TEXT = '2026-03-04 13:06:07';

/** What `V8.DbTrans` is when it crosses the boundary. */
export const TRANS: JsonValue = { $trans: true };

type SentMessage = Parameters<RunContext['sendMessage']>[0];

/** What the test gives, and what the run recorded. */
export interface ScriptRunOptions {
  readonly tables?: TableStore;
  readonly sql?: SqlSession;
  readonly cache?: Cache;
  readonly documents?: DocumentStore;
  readonly lang?: Lang;
  readonly user?: RunUser;
  readonly event?: RunContext['event'];
  readonly remainingMs?: number;
  readonly send?: (request: HttpRequest) => Promise<HttpResponse>;
  readonly sendMessage?: (message: SentMessage) => Promise<DosResult>;
}

export class ScriptRun {
  readonly context: RunContext;
  readonly joined: boolean[] = [];
  readonly sent: SentMessage[] = [];
  readonly published: DownlinkDraft[] = [];
  readonly requests: HttpRequest[] = [];
  readonly engines: { key: string; param: JsonValue; joins: boolean }[] = [];
  readonly touched: string[] = [];
  readonly consoleLines: string[] = [];
  readonly sysLogs: Parameters<RunContext['sysLog']>[0][] = [];
  readonly #requestCounts = new Map<string, number>();
  dependencyFailures = 0;

  constructor(options: ScriptRunOptions = {}) {
    this.context = this.#contextOf(options);
  }

  /** Calls as a script does and returns what it gets. */
  async call(name: HostCallName, ...args: unknown[]): Promise<JsonValue> {
    const crossed = JSON.parse(JSON.stringify(args)) as JsonValue[];
    return JSON.parse(JSON.stringify(await HOST_CALLS[name](this.context, crossed))) as JsonValue;
  }

  /** The same for a member that answers a DosResult. */
  async result(name: HostCallName, ...args: unknown[]): Promise<DosResult> {
    return (await this.call(name, ...args)) as unknown as DosResult;
  }

  #contextOf(options: ScriptRunOptions): RunContext {
    let ids = 0;
    const tables = options.tables;
    return {
      tenant: 'Acme',
      runId: 'run-1',
      engineKey: 'engine-under-test',
      lang: options.lang ?? 'zh',
      user: options.user,
      signal: new AbortController().signal,
      event: options.event,
      traceHeaders: () => ({}),
      clock: { now: () => NOW_MS, sleep: async () => {}, localText: () => NOW_TEXT },
      ids: {
        ulid: () => `01TEST${String(++ids).padStart(20, '0')}`,
        guid: () => '0b0e7a52-0000-4000-8000-000000000000',
        random: () => 0.5,
        secret: () => 'secret',
        sha256Hex: (data) => createHash('sha256').update(data).digest('hex'),
      },
      get cache(): Cache {
        if (options.cache === undefined) throw new Error('this run has no cache');
        return options.cache;
      },
      http: { send: (request) => this.#send(options, request) },
      requestNumber: (target) => {
        this.#requestCounts.set(target, (this.#requestCounts.get(target) ?? 0) + 1);
        return this.#requestCounts.get(target) ?? 0;
      },
      remainingMs: () => options.remainingMs ?? 60_000,
      tables: async (joins) => {
        this.joined.push(joins);
        if (tables === undefined) throw new Error('this run has no tables');
        return tables;
      },
      sql: async (joins) => {
        this.joined.push(joins);
        if (options.sql === undefined) throw new Error('this run has no database');
        return options.sql;
      },
      documents: async () => {
        if (options.documents === undefined) throw new Error('this run has no documents');
        return options.documents;
      },
      sendMessage: async (message) => {
        this.sent.push(message);
        return options.sendMessage?.(message) ?? succeed({ EventId: 'made-up-id' });
      },
      publishToDevices: async (draft) => {
        this.published.push(draft);
        return 1;
      },
      designer: () => {
        throw new Error('this run has no designer');
      },
      databases: () => {
        throw new Error('this run has no other databases');
      },
      beginOnce: async () => 'claimed',
      endOnce: async () => {},
      runEngine: async (key, param, joins): Promise<HostCallAnswer> => {
        this.engines.push({ key, param, joins });
        return { kind: 'reply', json: '{"Code":1}' };
      },
      runTableEvent: async () => {
        throw new Error('this run has no events');
      },
      sysConfig: async () => ({ SysTitle: 'Acme ERP' }),
      tenantModel: async () => ({ ClientName: 'Acme' }),
      sysLog: (record) => this.sysLogs.push(record),
      console: (level, line) => this.consoleLines.push(`${level}: ${line}`),
      touch: (target) => this.touched.push(target),
      dependencyFailed: () => {
        this.dependencyFailures += 1;
      },
    };
  }

  #send(options: ScriptRunOptions, request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request);
    if (options.send === undefined) throw new Error('this run has no network');
    return options.send(request);
  }
}
