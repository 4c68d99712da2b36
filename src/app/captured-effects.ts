import type { DocumentPlace } from '../core/document-name.ts';
import { AppError } from '../core/errors.ts';
import type { Cache } from '../ports/cache.ts';
import type { DocumentServers, DocumentStore } from '../ports/documents.ts';
import type { ExtraDatabases } from '../ports/extra-databases.ts';
import type { HttpClient, HttpRequest } from '../ports/http-client.ts';
import type { Journal, SysLogRecord } from '../ports/journal.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** A request that a script asked for. */
export interface CapturedRequest {
  readonly method: string;
  /** Without its query, in which scripts put secrets. */
  readonly url: string;
  /** Status of the answer; null when the request was refused or failed. */
  readonly status: number | null;
  readonly refused: boolean;
}

export interface CapturedCacheWrite {
  readonly operation: string;
  readonly key: string;
}

export interface CapturedLog {
  readonly level: SysLogRecord['level'];
  readonly title: string;
  readonly text: string;
}

/** Entries of one kind that are kept; a trial that does more shows the first of them. */
const MAX_KEPT = 500;

/** Keeps what a trial wanted to do outside its transaction, instead of doing it. */
export class CapturedEffects {
  readonly requests: CapturedRequest[] = [];
  readonly cacheWrites: CapturedCacheWrite[] = [];
  readonly logs: CapturedLog[] = [];

  /** Requests are refused unless they were allowed for this trial; both are kept. */
  http(real: HttpClient, allowed: boolean): HttpClient {
    return {
      send: async (request) => {
        if (!allowed) {
          this.#keepRequest(request, null, true);
          throw new AppError('HTTP_TRIAL_REFUSED', { target: urlOf(request) });
        }
        try {
          const response = await real.send(request);
          this.#keepRequest(request, response.status, false);
          return response;
        } catch (e) {
          this.#keepRequest(request, null, false);
          throw e;
        }
      },
    };
  }

  /** Reads see the real values and the strings that this trial wrote; writes are kept and change nothing. */
  cache(real: Cache): Cache {
    const own = new Map<string, string | undefined>();
    const get: Cache['get'] = async (key) => (own.has(key) ? own.get(key) : real.get(key));
    const exists: Cache['exists'] = async (key) => (own.has(key) ? own.get(key) !== undefined : real.exists(key));
    const note = (operation: string, key: string) => this.#keep(this.cacheWrites, { operation, key });
    return {
      get,
      exists,
      set: async (key, value) => {
        note('set', key);
        own.set(key, value);
      },
      setIfAbsent: async (key, value) => {
        note('setIfAbsent', key);
        if (await exists(key)) return false;
        own.set(key, value);
        return true;
      },
      increment: async (key, by) => {
        note('increment', key);
        const sum = Number((await get(key)) ?? 0) + by;
        own.set(key, String(sum));
        return sum;
      },
      delete: async (key) => {
        note('delete', key);
        const was = await exists(key);
        own.set(key, undefined);
        return was;
      },
      deletePrefix: async (prefix) => {
        note('deletePrefix', prefix);
        return 0;
      },
      expire: async (key) => {
        note('expire', key);
        return exists(key);
      },
      hashSet: async (key, fields) => {
        note('hashSet', key);
        const known = await Promise.all(fields.map(([field]) => real.hashExists(key, field)));
        return known.filter((isKnown) => !isKnown).length;
      },
      hashDelete: async (key, fields) => {
        note('hashDelete', key);
        const known = await Promise.all(fields.map((field) => real.hashExists(key, field)));
        return known.filter(Boolean).length;
      },
      hashIncrement: async (key, field, by) => {
        note('hashIncrement', key);
        return Number((await real.hashGet(key, field)) ?? 0) + by;
      },
      hashGet: (key, field) => real.hashGet(key, field),
      hashGetAll: (key) => real.hashGetAll(key),
      hashExists: (key, field) => real.hashExists(key, field),
      hashLength: (key) => real.hashLength(key),
    };
  }

  /** Reads of a MongoDB see what is there; writes are requests to it. Documents of a database are in its transaction. */
  documents(real: DocumentServers, allowed: boolean): DocumentServers {
    return {
      of: async (tenant) => {
        const server = await real.of(tenant);
        return server === undefined ? undefined : this.#documentsOf(server, allowed);
      },
      close: async () => {},
    };
  }

  /** What is written to another database cannot be taken back, and what is read there may depend on it. */
  databases(real: ExtraDatabases): ExtraDatabases {
    const refuse = (): never => {
      throw new AppError('DBS_TRIAL_REFUSED');
    };
    return {
      keys: (store) => real.keys(store),
      get: async () => refuse(),
      open: async () => refuse(),
      refresh: async () => {},
      close: async () => {},
    };
  }

  #documentsOf(real: DocumentStore, allowed: boolean): DocumentStore {
    const write = async (method: string, { database, collection }: DocumentPlace, work: () => Promise<void>) => {
      const url = `mongodb:${database}/${collection}`;
      this.#keep(this.requests, { method, url, status: null, refused: !allowed });
      if (!allowed) throw new AppError('DOCUMENTS_TRIAL_REFUSED');
      await work();
    };
    return {
      insert: (place, document) => write('INSERT', place, () => real.insert(place, document)),
      update: (place, id, fields) => write('UPDATE', place, () => real.update(place, id, fields)),
      delete: (place, id) => write('DELETE', place, () => real.delete(place, id)),
      find: (place, id) => real.find(place, id),
      list: (place, query) => real.list(place, query),
    };
  }

  /** The tenant's store with a journal that keeps the author's lines instead of writing them. */
  store(real: TenantStore): TenantStore {
    const { journal } = real;
    const captured: Journal = {
      attempt: () => {},
      receiveLog: () => {},
      sysLog: ({ level, title, content }) => this.#keep(this.logs, { level, title, text: content }),
      flush: () => journal.flush(),
      story: (eventId) => journal.story(eventId),
      attempts: (filter) => journal.attempts(filter),
      runCounts: (since, spanMs) => journal.runCounts(since, spanMs),
      logs: (filter) => journal.logs(filter),
    };
    return {
      tenant: real.tenant,
      tables: real.tables,
      relaxedTables: real.relaxedTables,
      sql: real.sql,
      documents: real.documents,
      during: (over) => real.during(over),
      parked: real.parked,
      deadLetters: real.deadLetters,
      outbox: real.outbox,
      crashes: real.crashes,
      engines: real.engines,
      versions: real.versions,
      bindings: real.bindings,
      topicBindings: real.topicBindings,
      designer: real.designer,
      extraDatabases: () => real.extraDatabases(),
      journal: captured,
      identity: real.identity,
      singleWriter: real.singleWriter,
      findInbox: (key) => real.findInbox(key),
      begin: (waitMs) => real.begin(waitMs),
      push: (request) => real.push(request),
      createTables: (tables) => real.createTables(tables),
      purge: (retention, signal) => real.purge(retention, signal),
      pools: () => real.pools(),
      probe: () => real.probe(),
      close: () => real.close(),
    };
  }

  #keepRequest(request: HttpRequest, status: number | null, refused: boolean): void {
    this.#keep(this.requests, { method: request.method, url: urlOf(request), status, refused });
  }

  #keep<T>(kept: T[], entry: T): void {
    if (kept.length < MAX_KEPT) kept.push(entry);
  }
}

function urlOf({ url }: HttpRequest): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
