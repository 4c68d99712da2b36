import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';
import type { MessageProps, OutgoingMessage } from '../../ports/queue.ts';

/** A message as the file holds it. */
export interface StoredMessage {
  /** Place in the order of all messages of the file; never used twice. */
  readonly seq: number;
  /** True when it was handed out before and neither settled nor given back. */
  readonly delivered: boolean;
  readonly body: Uint8Array;
  readonly props: MessageProps;
}

/** Version of the tables below, kept per component because `host.db` has several owners. */
const SCHEMA_VERSION = 1;

// AUTOINCREMENT: a Seq that came back after the newest row was removed would lie behind the readers' cursors.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS queue_schema (Version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS queue_message (
    Seq INTEGER PRIMARY KEY AUTOINCREMENT,
    QueueName TEXT NOT NULL,
    Delivered INTEGER NOT NULL DEFAULT 0,
    MessageId TEXT,
    Headers TEXT NOT NULL,
    EnqueuedAt INTEGER NOT NULL,
    Body BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS queue_message_by_queue ON queue_message (QueueName, Seq);
`;

/** A WAL that grew during a burst is cut back to this size at the next checkpoint. Bytes. */
const WAL_SIZE_LIMIT = 64 * 1024 * 1024;

/**
 * The messages of the embedded queue in one SQLite file, through two connections: what is accepted is on disk before
 * the commit returns (synchronous=FULL); marks and removals survive a killed process but may be undone by a power
 * cut (synchronous=NORMAL), because an ack may be less durable than the effect it follows, never more.
 *
 * Every method is one short synchronous transaction, so the two connections never wait for each other; a foreign
 * lock fails at once (busy timeout 0) instead of stopping the event loop.
 */
export class QueueStore {
  readonly #durable: DatabaseSync;
  readonly #relaxed: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #next: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  readonly #mark: StatementSync;
  readonly #count: StatementSync;

  /** Opens or makes the file. @throws the driver's error, or AppError SCHEMA_NEWER. */
  constructor(file: string) {
    this.#durable = openConnection(file, 'FULL');
    try {
      prepareSchema(this.#durable);
      this.#relaxed = openConnection(file, 'NORMAL');
    } catch (error) {
      this.#durable.close();
      throw error;
    }
    this.#insert = this.#durable.prepare(
      'INSERT INTO queue_message (QueueName, MessageId, Headers, EnqueuedAt, Body) VALUES (?, ?, ?, ?, ?)',
    );
    const columns = 'Seq, Delivered, MessageId, Headers, Body';
    this.#next = this.#relaxed.prepare(
      `SELECT ${columns} FROM queue_message WHERE QueueName = ? AND Seq > ? ORDER BY Seq LIMIT 1`,
    );
    this.#find = this.#relaxed.prepare(`SELECT ${columns} FROM queue_message WHERE Seq = ?`);
    this.#remove = this.#relaxed.prepare('DELETE FROM queue_message WHERE Seq = ?');
    this.#mark = this.#relaxed.prepare('UPDATE queue_message SET Delivered = ? WHERE Seq = ?');
    this.#count = this.#relaxed.prepare('SELECT count(*) AS Total FROM queue_message WHERE QueueName = ?');
  }

  /** Stores messages in order, all or none, on disk when it returns. @param now milliseconds UTC. */
  insert(messages: readonly OutgoingMessage[], now: number): void {
    inTransaction(this.#durable, () => {
      for (const { queue, body, props } of messages) {
        this.#insert.run(queue, props.messageId ?? null, JSON.stringify(props.headers), now, body);
      }
    });
  }

  /** Runs marks, removals and reads as one transaction of the relaxed connection. */
  transact<T>(work: () => T): T {
    return inTransaction(this.#relaxed, work);
  }

  /** First message of the queue behind `seq`. */
  nextAfter(queue: string, seq: number): StoredMessage | undefined {
    return toMessage(this.#next.get(queue, seq));
  }

  find(seq: number): StoredMessage | undefined {
    return toMessage(this.#find.get(seq));
  }

  remove(seq: number): void {
    this.#remove.run(seq);
  }

  setDelivered(seq: number, delivered: boolean): void {
    this.#mark.run(delivered ? 1 : 0, seq);
  }

  count(queue: string): number {
    return Number(this.#count.get(queue)?.Total ?? 0);
  }

  close(): void {
    this.#relaxed.close();
    this.#durable.close();
  }
}

function openConnection(file: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};`);
    connection.exec(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT};`);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

function prepareSchema(connection: DatabaseSync): void {
  inTransaction(connection, () => {
    connection.exec(SCHEMA);
    const found = connection.prepare('SELECT max(Version) AS Version FROM queue_schema').get()?.Version;
    if (typeof found === 'number' && found > SCHEMA_VERSION) {
      throw new AppError('SCHEMA_NEWER', { found, known: SCHEMA_VERSION });
    }
    if (found === null) connection.prepare('INSERT INTO queue_schema (Version) VALUES (?)').run(SCHEMA_VERSION);
  });
}

function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already; a second ROLLBACK would hide the reason.
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function toMessage(row: Record<string, SQLOutputValue> | undefined): StoredMessage | undefined {
  if (row === undefined) return undefined;
  const messageId = row.MessageId;
  const headers = JSON.parse(String(row.Headers)) as Record<string, string>;
  return {
    seq: Number(row.Seq),
    delivered: row.Delivered === 1,
    body: row.Body as Uint8Array,
    props: typeof messageId === 'string' ? { messageId, headers } : { headers },
  };
}
