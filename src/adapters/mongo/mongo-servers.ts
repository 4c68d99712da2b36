import { MongoClient, type MongoClientOptions } from 'mongodb';
import { bilingual } from '../../core/bilingual.ts';
import type { LocalText } from '../../core/date-text.ts';
import { AppError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { DocumentServers, DocumentStore } from '../../ports/documents.ts';
import type { Log } from '../../ports/log.ts';
import { MongoDocumentStore, type ServerWatch } from './mongo-document-store.ts';

export interface MongoServersOptions {
  /** The connection string of a tenant now; undefined for a tenant without a MongoDB. */
  readonly urlOf: (tenant: string) => Promise<string | undefined>;
  readonly localText: LocalText;
  readonly log: Log;
  /** How long a server may take to be found, and to answer. Milliseconds. */
  readonly connectMs?: number;
  readonly answerMs?: number;
}

const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;

/** Connections of one tenant: a tenant that asks for more waits for its own. */
const CONNECTIONS = 10;
const IDLE_MS = 60_000;

interface Opened {
  readonly url: string;
  readonly client: MongoClient;
  readonly store: DocumentStore;
}

/**
 * One client for each tenant that has a MongoDB, made at its first use and again when its connection string changes.
 * A server that is away fails the calls of its tenant alone, and is found again without a restart.
 */
export class MongoServers implements DocumentServers {
  readonly #options: MongoServersOptions;
  readonly #opened = new Map<string, Opened>();
  #closed = false;

  constructor(options: MongoServersOptions) {
    this.#options = options;
  }

  async of(tenant: string): Promise<DocumentStore | undefined> {
    const url = await this.#options.urlOf(tenant);
    const key = tenantKey(tenant);
    const known = this.#opened.get(key);
    if (known !== undefined && known.url === url && !this.#closed) return known.store;
    this.#opened.delete(key);
    // Operations under way on it fail as when the server is away, and their messages come again.
    if (known !== undefined) closeQuietly(known.client);
    if (url === undefined) return undefined;
    if (this.#closed) throw new AppError('DOCUMENTS_UNAVAILABLE', { reason: CLOSED });
    const client = this.#clientOf(tenant, url);
    const store = new MongoDocumentStore(client, this.#options.localText, watchOf(tenant, client, this.#options.log));
    this.#opened.set(key, { url, client, store });
    return store;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const clients = [...this.#opened.values()].map(({ client }) => client);
    this.#opened.clear();
    await Promise.allSettled(clients.map((client) => client.close()));
  }

  #clientOf(tenant: string, url: string): MongoClient {
    try {
      return new MongoClient(url, this.#clientOptions());
    } catch {
      // The driver's complaint may repeat a part of the string.
      throw new AppError('DOCUMENTS_URL_INVALID', { tenant, field: 'DbMongoConnection', rule: UNREADABLE });
    }
  }

  #clientOptions(): MongoClientOptions {
    const { connectMs = CONNECT_MS, answerMs = ANSWER_MS } = this.#options;
    return {
      appName: 'v8-engine-host',
      serverSelectionTimeoutMS: connectMs,
      connectTimeoutMS: connectMs,
      socketTimeoutMS: answerMs,
      waitQueueTimeoutMS: answerMs,
      maxPoolSize: CONNECTIONS,
      maxIdleTimeMS: IDLE_MS,
    };
  }
}

/** Tells the operator once when a tenant's server goes away, and once when it is back. */
function watchOf(tenantId: string, client: MongoClient, log: Log): ServerWatch {
  const servers = client.options.hosts.map(String).join(',');
  let isAway = false;
  return {
    answered() {
      if (isAway) log.info('documents.recovered', { tenantId, servers });
      isAway = false;
    },
    failed(error) {
      if (!isAway) log.warn('documents.failed', { tenantId, servers, err: error });
      isAway = true;
    },
  };
}

const CLOSED = bilingual('主机正在停止', 'the host is stopping');
const UNREADABLE = bilingual('驱动程序无法识别', 'the driver cannot read it');

function closeQuietly(client: MongoClient): void {
  client.close().catch(() => {
    // It was given up already; a connection that does not end cleanly is ended by the server.
  });
}
