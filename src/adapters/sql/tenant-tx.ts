import type { DocumentStore } from '../../ports/documents.ts';
import type { SqlSession } from '../../ports/sql-session.ts';
import type { TableStore } from '../../ports/table-store.ts';
import type {
  CommitPacket,
  Doom,
  EventContent,
  InboxClaim,
  OutboxMessage,
  OutboxRow,
  TenantTx,
} from '../../ports/tenant-store.ts';
import { crashRemoval } from './crashes.ts';
import { SqlDocumentStore } from './documents.ts';
import type { Inbox } from './inbox.ts';
import { outboxInsert } from './outbox.ts';
import { orderedRemoval, parkedResolution } from './parked.ts';
import type { SchemaCache } from './schema-cache.ts';
import { SqlScriptSession } from './script-session.ts';
import type { PacketStatement, TxSession } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { SqlTableStore, targetOver } from './table-store.ts';

export interface TxParts {
  readonly dialect: SqlDialect;
  readonly inbox: Inbox;
  readonly schema: SchemaCache;
}

/** The platform transaction of one run: claim, the script's statements, and the packet that commits them (3.1). */
export class SqlTenantTx implements TenantTx {
  readonly tables: TableStore;
  readonly sql: SqlSession;
  readonly documents: DocumentStore;
  readonly #session: TxSession;
  readonly #parts: TxParts;

  constructor(session: TxSession, parts: TxParts) {
    this.#session = session;
    this.#parts = parts;
    const target = targetOver(session.script, (work) => session.allOrNothing(work));
    this.tables = new SqlTableStore(parts.schema, target);
    this.sql = new SqlScriptSession(parts.dialect, target);
    this.documents = new SqlDocumentStore({
      read: (work) => work(session.system),
      write: (work) => session.allOrNothing(() => work(session.system)),
    });
  }

  get doom(): Doom | undefined {
    return this.#session.doom;
  }

  async claim(claim: InboxClaim): Promise<'claimed' | 'duplicate'> {
    return (await this.#parts.inbox.claim(this.#session.system, [claim])) ? 'claimed' : 'duplicate';
  }

  async claimAll(claims: readonly InboxClaim[]): Promise<readonly ('claimed' | 'duplicate')[]> {
    // In one order everywhere: two hosts with some of the same events cannot lock each other out.
    const ordered = claims.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
    if (await this.#parts.inbox.claim(this.#session.system, ordered)) return claims.map(() => 'claimed');
    const answers: ('claimed' | 'duplicate')[] = [];
    for (const claim of claims) answers.push(await this.claim(claim));
    return answers;
  }

  async commit({ claims, outbox }: CommitPacket): Promise<readonly OutboxRow[]> {
    const results = await this.#session.commit([
      ...outbox.map((message) => ({ query: this.#insertOutbox(message) })),
      ...claims.filter(({ resolveParked: resolves }) => resolves).flatMap((claim) => this.#settleParked(claim)),
      // Last: the guard then also covers the statements before it.
      ...this.#parts.inbox.finish(this.#session.system, claims),
    ]);
    return outbox.map((message, index) => ({ ...message, seq: Number(results[index]?.insertId), attempts: 0 }));
  }

  rollback(): Promise<void> {
    return this.#session.rollback();
  }

  abort(): Promise<void> {
    return this.#session.abort();
  }

  #insertOutbox(message: OutboxMessage) {
    return outboxInsert(this.#session.system, this.#parts.dialect, message);
  }

  #settleParked(key: EventContent): readonly PacketStatement[] {
    const db = this.#session.system;
    return [
      { query: orderedRemoval(db, key) },
      { query: parkedResolution(db, this.#parts.dialect, key) },
      { query: crashRemoval(db, key) },
    ];
  }
}
