import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { packMessage, unpackMessage } from '../../core/mqtt-message.ts';
import type { BrokerMessage, MessageProperties, Qos } from '../../ports/broker.ts';
import type {
  BrokerContent,
  BrokerStore,
  RetainedMessage,
  SentDownlink,
  SessionKey,
  StoredFlight,
  StoredMessage,
  StoredSession,
  StoredWill,
} from '../../ports/broker-store.ts';
import { prepareBrokerSchema, STATEMENTS } from './broker-schema.ts';

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
      prepareBrokerSchema(db);
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
      wills: this.#db.prepare('SELECT Packed FROM mqtt_will').all().map(toWill),
      downlinks: this.#db.prepare('SELECT * FROM mqtt_downlink ORDER BY SentAt').all().map(toDownlink),
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

  saveWill({ message, ...will }: StoredWill): void {
    const packed = packMessage(message, will as unknown as JsonValue);
    this.#later(() => this.#statements.saveWill.run(will.tenant, will.clientId, packed));
  }

  dropWill({ tenant, clientId }: SessionKey): void {
    this.#later(() => this.#statements.dropWill.run(tenant, clientId));
  }

  saveDownlink({ tenant, id, sessions, sentAt }: SentDownlink): void {
    this.#later(() => this.#statements.saveDownlink.run(tenant, id, sessions, sentAt));
  }

  dropDownlink({ tenant, id }: Pick<SentDownlink, 'tenant' | 'id'>): void {
    this.#later(() => this.#statements.dropDownlink.run(tenant, id));
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

function toWill({ Packed }: FileRow): StoredWill {
  const { message, extra } = unpackMessage(Packed as Uint8Array);
  const will = extra as unknown as Omit<StoredWill, 'message'>;
  return { ...will, message, dueAt: will.dueAt };
}

function toDownlink(row: FileRow): SentDownlink {
  return {
    tenant: String(row.Tenant),
    id: String(row.Id),
    sessions: Number(row.Sessions),
    sentAt: Number(row.SentAt),
  };
}
