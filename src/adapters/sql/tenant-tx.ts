import type { TableStore } from '../../ports/table-store.ts';
import type { CommitPacket, Doom, InboxClaim, OutboxRow, TenantTx } from '../../ports/tenant-store.ts';
import { clearCrashes } from './crashes.ts';
import type { Inbox } from './inbox.ts';
import { insertOutbox } from './outbox.ts';
import { resolveParked } from './parked.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { TxSession } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { SqlTableStore } from './table-store.ts';

export interface TxParts {
  readonly dialect: SqlDialect;
  readonly inbox: Inbox;
  readonly schema: SchemaCache;
}

/** The platform transaction of one run: claim, the script's statements, and the packet that commits them (3.1). */
export class SqlTenantTx implements TenantTx {
  readonly tables: TableStore;
  readonly #session: TxSession;
  readonly #parts: TxParts;

  constructor(session: TxSession, parts: TxParts) {
    this.#session = session;
    this.#parts = parts;
    this.tables = new SqlTableStore(parts.schema, {
      read: (work) => work(session.script),
      write: (work) => work(session.script),
    });
  }

  get doom(): Doom | undefined {
    return this.#session.doom;
  }

  async claim(claim: InboxClaim): Promise<'claimed' | 'duplicate'> {
    return (await this.#parts.inbox.claim(this.#session.system, claim)) ? 'claimed' : 'duplicate';
  }

  mark(): Promise<void> {
    return this.#session.mark();
  }

  undoToMark(): Promise<void> {
    return this.#session.undoToMark();
  }

  async commit(packet: CommitPacket): Promise<readonly OutboxRow[]> {
    try {
      const rows = await this.#writePacket(packet);
      await this.#session.commit();
      return rows;
    } catch (error: unknown) {
      await this.#session.rollback();
      throw error;
    }
  }

  rollback(): Promise<void> {
    return this.#session.rollback();
  }

  /** The inbox last: its guard then also covers the statements before it. */
  async #writePacket({ claims, outbox }: CommitPacket): Promise<readonly OutboxRow[]> {
    const { dialect, inbox } = this.#parts;
    const db = this.#session.system;
    const rows = await insertOutbox(db, dialect, outbox);
    for (const claim of claims.filter(({ resolveParked: resolves }) => resolves)) {
      await resolveParked(db, dialect, claim);
      await clearCrashes(db, claim);
    }
    for (const claim of claims) await inbox.finish(db, claim);
    return rows;
  }
}
