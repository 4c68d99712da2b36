import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';
import type { BrokerMessage, MessageProperties, Qos } from '../../ports/broker.ts';
import type {
  BrokerContent,
  BrokerStore,
  RetainedMessage,
  SessionKey,
  StoredFlight,
  StoredMessage,
  StoredSession,
} from '../../ports/broker-store.ts';

/** Version of the tables below, kept per component because `host.db` has several owners. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS mqtt_schema (Version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS mqtt_session (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    ExpirySeconds INTEGER,
    OfflineSince INTEGER,
    Subscriptions TEXT NOT NULL,
    PRIMARY KEY (Tenant, ClientId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_message (
    Seq INTEGER PRIMARY KEY,
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    Topic TEXT NOT NULL,
    Head TEXT NOT NULL,
    Payload BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS mqtt_message_by_session ON mqtt_message (Tenant, ClientId, Seq);
  CREATE TABLE IF NOT EXISTS mqtt_received (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    PacketId INTEGER NOT NULL,
    PRIMARY KEY (Tenant, ClientId, PacketId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_flight (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    PacketId INTEGER NOT NULL,
    Seq INTEGER,
    PRIMARY KEY (Tenant, ClientId, PacketId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_retained (
    Tenant TEXT NOT NULL,
    Topic TEXT NOT NULL,
    Head TEXT NOT NULL,
    Payload BLOB NOT NULL,
    PRIMARY KEY (Tenant, Topic)
  ) WITHOUT ROWID;
`;

const STATEMENTS = {
  saveSession: `INSERT INTO mqtt_session VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    ExpirySeconds = excluded.ExpirySeconds, OfflineSince = excluded.OfflineSince, Subscriptions = excluded.Subscriptions`,
  dropSession: 'DELETE FROM mqtt_session WHERE Tenant = ? AND ClientId = ?',
  dropMessages: 'DELETE FROM mqtt_message WHERE Tenant = ? AND ClientId = ?',
  dropAllReceived: 'DELETE FROM mqtt_received WHERE Tenant = ? AND ClientId = ?',
  addMessage: 'INSERT INTO mqtt_message VALUES (?, ?, ?, ?, ?, ?)',
  dropMessage: 'DELETE FROM mqtt_message WHERE Seq = ?',
  addReceived: 'INSERT OR IGNORE INTO mqtt_received VALUES (?, ?, ?)',
  dropReceived: 'DELETE FROM mqtt_received WHERE Tenant = ? AND ClientId = ? AND PacketId = ?',
  dropAllFlights: 'DELETE FROM mqtt_flight WHERE Tenant = ? AND ClientId = ?',
  saveFlight: 'INSERT INTO mqtt_flight VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET Seq = excluded.Seq',
  dropFlight: 'DELETE FROM mqtt_flight WHERE Tenant = ? AND ClientId = ? AND PacketId = ?',
  saveRetained: `INSERT INTO mqtt_retained VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    Head = excluded.Head, Payload = excluded.Payload`,
  dropRetained: 'DELETE FROM mqtt_retained WHERE Tenant = ? AND Topic = ?',
} as const;

/** What stands beside topic and payload, as JSON text. */
interface Head {
  readonly qos: Qos;
  readonly retain: boolean;
  readonly messageQos: Qos;
  readonly messageRetain: boolean;
  readonly expiresAt: number | null;
  readonly identifiers: readonly number[];
  readonly properties: Omit<MessageProperties, 'correlationData'>;
  readonly correlation: string | null;
}

type Write = () => void;

/** What nobody waits for is written together with what comes within this time. Milliseconds. */
const LAZY_MS = 20;

/**
 * The disk is waited for on the host's own thread. After each time the others have half as long, this at most, however
 * many clients ask one after the other; what they ask meanwhile shares the next write. Milliseconds.
 */
const LONGEST_REST_MS = 10;

/**
 * The broker's file. Changes are collected and written in one durable transaction (synchronous=FULL), at the end of the
 * turn of the event loop when somebody waits for them; a message that is stored and acknowledged before that never
 * reaches the disk.
 */
export class EmbeddedBrokerStore implements BrokerStore {
  readonly #db: DatabaseSync;
  readonly #statements: Record<keyof typeof STATEMENTS, StatementSync>;
  #writes: Write[] = [];
  /** Messages among the writes, by their number, until they are written. */
  readonly #unwritten = new Map<number, number>();
  #flushing: Promise<void> | undefined;
  #lazy: NodeJS.Timeout | undefined;
  /** Before this the event loop is left to others. As of `performance.now()`. */
  #restUntil = 0;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    const entries = Object.entries(STATEMENTS).map(([name, text]) => [name, db.prepare(text)]);
    this.#statements = Object.fromEntries(entries) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /** Opens or makes the file. @throws AppError QUEUE_STORE_UNUSABLE, SCHEMA_NEWER. */
  static open(file: string): EmbeddedBrokerStore {
    try {
      mkdirSync(dirname(file), { recursive: true });
      const db = new DatabaseSync(file, { timeout: 0 });
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      prepareSchema(db);
      return new EmbeddedBrokerStore(db);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new AppError('QUEUE_STORE_UNUSABLE', { file, reason }, { cause: error });
    }
  }

  /** A file that cannot be written is told by each write. */
  readonly isUsable = true;

  get isDirty(): boolean {
    return this.#writes.length > 0;
  }

  load(): BrokerContent {
    const sessions = this.#db.prepare('SELECT * FROM mqtt_session').all().map(toSession);
    const messages = this.#db.prepare('SELECT * FROM mqtt_message WHERE Tenant = ? AND ClientId = ? ORDER BY Seq');
    const received = this.#db.prepare('SELECT PacketId FROM mqtt_received WHERE Tenant = ? AND ClientId = ?');
    const flights = this.#db.prepare('SELECT PacketId, Seq FROM mqtt_flight WHERE Tenant = ? AND ClientId = ?');
    const last = this.#db.prepare('SELECT max(Seq) AS Last FROM mqtt_message').get()?.Last;
    return {
      sessions: sessions.map((session) => ({
        ...session,
        queued: messages.all(session.tenant, session.clientId).map(toMessage),
        received: received.all(session.tenant, session.clientId).map((row) => Number(row.PacketId)),
        flights: flights.all(session.tenant, session.clientId).map(toFlight),
      })),
      retained: this.#db.prepare('SELECT * FROM mqtt_retained').all().map(toRetained),
      lastSeq: Number(last ?? 0),
    };
  }

  saveSession({ tenant, clientId, expirySeconds, offlineSince, subscriptions }: StoredSession): void {
    const values = [tenant, clientId, expirySeconds ?? null, offlineSince ?? null, JSON.stringify(subscriptions)];
    this.#later(() => this.#statements.saveSession.run(...values));
  }

  dropSession({ tenant, clientId }: SessionKey): void {
    this.#later(() => {
      for (const name of ['dropSession', 'dropMessages', 'dropAllReceived', 'dropAllFlights'] as const) {
        this.#statements[name].run(tenant, clientId);
      }
    });
  }

  addMessage({ tenant, clientId }: SessionKey, stored: StoredMessage): void {
    const { seq, message, qos, retain, expiresAt, identifiers } = stored;
    this.#unwritten.set(seq, this.#writes.length);
    this.#later(() => {
      const head = headOf(message, { qos, retain, expiresAt, identifiers });
      this.#statements.addMessage.run(seq, tenant, clientId, message.topic, head, message.payload);
    });
  }

  dropMessage(_key: SessionKey, seq: number): void {
    const at = this.#unwritten.get(seq);
    this.#unwritten.delete(seq);
    if (at !== undefined) this.#writes[at] = nothing;
    else this.#later(() => this.#statements.dropMessage.run(seq));
  }

  saveFlight({ tenant, clientId }: SessionKey, { packetId, seq }: StoredFlight): void {
    this.#later(() => this.#statements.saveFlight.run(tenant, clientId, packetId, seq ?? null));
  }

  dropFlight({ tenant, clientId }: SessionKey, packetId: number): void {
    this.#later(() => this.#statements.dropFlight.run(tenant, clientId, packetId));
  }

  addReceived({ tenant, clientId }: SessionKey, packetId: number): void {
    this.#later(() => this.#statements.addReceived.run(tenant, clientId, packetId));
  }

  dropReceived({ tenant, clientId }: SessionKey, packetId: number): void {
    this.#later(() => this.#statements.dropReceived.run(tenant, clientId, packetId));
  }

  saveRetained({ tenant, message, expiresAt }: RetainedMessage): void {
    const { topic, payload, qos } = message;
    this.#later(() => {
      if (payload.byteLength === 0) this.#statements.dropRetained.run(tenant, topic);
      else {
        const head = headOf(message, { qos, retain: true, expiresAt, identifiers: [] });
        this.#statements.saveRetained.run(tenant, topic, head, payload);
      }
    });
  }

  /** Everybody who asks before the next commit waits for that one. */
  flushed(): Promise<void> {
    this.#flushing ??= new Promise((resolve, reject) => {
      const write = (): void => {
        this.#flushing = undefined;
        try {
          this.#writeAll();
          resolve();
        } catch (error) {
          reject(unusable(error));
        }
      };
      const rest = this.#restUntil - performance.now();
      if (rest < 1) setImmediate(write);
      else setTimeout(write, rest);
    });
    return this.#flushing;
  }

  close(): void {
    if (!this.#db.isOpen) return;
    try {
      this.#writeAll();
    } finally {
      this.#db.close();
    }
  }

  #later(write: Write): void {
    this.#writes.push(write);
    // Nobody may wait for this one; it must not stay behind all the same.
    this.#lazy ??= setTimeout(() => {
      this.#lazy = undefined;
      this.flushed().catch(() => undefined);
    }, LAZY_MS).unref();
  }

  /** What could not be written stays for the next time. */
  #writeAll(): void {
    clearTimeout(this.#lazy);
    this.#lazy = undefined;
    if (this.#writes.length === 0 || !this.#db.isOpen) return;
    const from = performance.now();
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const write of this.#writes) write();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    this.#writes = [];
    this.#unwritten.clear();
    const now = performance.now();
    this.#restUntil = now + Math.min((now - from) / 2, LONGEST_REST_MS);
  }
}

function nothing(): void {}

function unusable(error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('QUEUE_STORE_UNUSABLE', { file: 'host.db', reason }, { cause: error });
}

function prepareSchema(db: DatabaseSync): void {
  db.exec(SCHEMA);
  const found = db.prepare('SELECT max(Version) AS Version FROM mqtt_schema').get()?.Version;
  if (typeof found === 'number' && found > SCHEMA_VERSION) {
    throw new AppError('SCHEMA_NEWER', { found, known: SCHEMA_VERSION });
  }
  if (found === null) db.prepare('INSERT INTO mqtt_schema (Version) VALUES (?)').run(SCHEMA_VERSION);
}

function headOf(
  message: BrokerMessage,
  { qos, retain, expiresAt, identifiers }: Pick<StoredMessage, 'qos' | 'retain' | 'expiresAt' | 'identifiers'>,
): string {
  const { correlationData, ...properties } = message.properties;
  const head: Head = {
    qos,
    retain,
    messageQos: message.qos,
    messageRetain: message.retain,
    expiresAt: expiresAt ?? null,
    identifiers,
    properties,
    correlation: correlationData === undefined ? null : Buffer.from(correlationData).toString('base64'),
  };
  return JSON.stringify(head);
}

type FileRow = Readonly<Record<string, unknown>>;

function toSession(row: FileRow): StoredSession {
  return {
    tenant: String(row.Tenant),
    clientId: String(row.ClientId),
    expirySeconds: row.ExpirySeconds === null ? undefined : Number(row.ExpirySeconds),
    offlineSince: row.OfflineSince === null ? undefined : Number(row.OfflineSince),
    subscriptions: JSON.parse(String(row.Subscriptions)) as StoredSession['subscriptions'],
  };
}

function toBrokerMessage(row: FileRow): { message: BrokerMessage; head: Head } {
  const head = JSON.parse(String(row.Head)) as Head;
  const correlation = head.correlation === null ? {} : { correlationData: Buffer.from(head.correlation, 'base64') };
  const message = {
    topic: String(row.Topic),
    payload: row.Payload as Uint8Array,
    qos: head.messageQos,
    retain: head.messageRetain,
    properties: { ...head.properties, ...correlation },
  };
  return { message, head };
}

function toMessage(row: FileRow): StoredMessage {
  const { message, head } = toBrokerMessage(row);
  const { qos, retain, identifiers } = head;
  return { seq: Number(row.Seq), message, qos, retain, identifiers, expiresAt: head.expiresAt ?? undefined };
}

function toFlight(row: FileRow): StoredFlight {
  return { packetId: Number(row.PacketId), seq: row.Seq === null ? undefined : Number(row.Seq) };
}

function toRetained(row: FileRow): RetainedMessage {
  const { message, head } = toBrokerMessage(row);
  return { tenant: String(row.Tenant), message, expiresAt: head.expiresAt ?? undefined };
}
