import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'kysely';
import { AppError, coerceError } from '../../core/errors.ts';
import type { PoolUse } from '../../ports/metrics.ts';
import type { MysqlAddress } from './address-mysql.ts';
import { MysqlConnection } from './connection-mysql.ts';
import { createMysqlDialect } from './dialect-mysql.ts';
import { isSessionLost } from './errors-mysql.ts';
import { type ExecuteStatement, kyselyOver } from './kysely-session.ts';
import { ConnectionPool } from './pool-mysql.ts';
import { assertRowStatement } from './script-statement.ts';
import {
  type Inspection,
  idleMs,
  inspectServer,
  type MysqlServer,
  type ServerWarning,
  type SessionRole,
  sessionSetup,
} from './server-mysql.ts';
import type { SqlDatabase, TxSession } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { timeOf, withinTime } from './statement-time.ts';
import type { ScriptDb, SystemDb, SystemTables } from './system-tables.ts';
import { touchSchemaRow } from './touch-schema.ts';
import { MysqlTransaction, type TransactionParts } from './transaction-mysql.ts';
import { UniqueKeys } from './unique-keys-mysql.ts';

/** Connections of one tenant at most, by use. They open when needed and close when idle. */
export interface PoolSizes {
  /** Platform transactions at once. */
  readonly runs: number;
  /** Statements of scripts outside of one. */
  readonly scripts: number;
  /** The host's own reads and writes, and KILL; at least 2. */
  readonly system: number;
}

/** Divides a tenant's connections (`pool.perTenant`): runs get what the others leave. */
export function divideConnections(perTenant: number): PoolSizes {
  const system = Math.min(4, Math.max(2, Math.round(perTenant / 5)));
  const scripts = Math.min(8, Math.max(1, Math.round(perTenant * 0.3)));
  return { system, scripts, runs: Math.max(1, perTenant - system - scripts) };
}

export interface MysqlDatabaseOptions {
  readonly pools: PoolSizes;
  /** IANA name; what NOW() and timestamp columns mean to scripts. */
  readonly timeZone: string;
}

const SYSTEM_WAIT_MS = 10_000;
/** The same patience as a duplicate has (architecture.md 2, G3). */
const SCRIPT_WAIT_MS = 3_000;
const SYSTEM_STATEMENT_MS = 15_000;
/** A run's usual deadline: the run that waits for it is over by then. */
const SCRIPT_STATEMENT_MS = 60_000;
/** An ALTER copies a large table. */
const DEFINE_STATEMENT_MS = 600_000;
const PROBE_MS = 2_000;
const KILL_MS = 1_000;
const CLOSE_WAIT_MS = 5_000;
/** Another host migrates, and then there is nothing left to do. Seconds. */
const ALONE_WAIT_SECONDS = 60;
/** How long a table's description is believed: the server has no number that rises with its changes. */
const SCHEMA_BELIEF_MS = 5_000;
const WRITE_TRIES = 3;

/**
 * One schema on MySQL or MariaDB. Runs, scripts' single statements and the host itself have connections apart, so
 * that no run waits for a connection while it holds one, and a queue of scripts never keeps a message from being
 * parked (delivery.md F10).
 */
export class MysqlDatabase implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly reader: SystemDb;
  readonly scriptReader: ScriptDb;
  readonly server: MysqlServer;
  readonly address: MysqlAddress;
  /** Sentences of the inspection, for the log. */
  readonly warnings: readonly ServerWarning[];
  readonly #runs: ConnectionPool;
  readonly #scripts: ConnectionPool;
  readonly #system: ConnectionPool;
  readonly #scriptWriter: ScriptDb;
  readonly #parts: TransactionParts;
  #definitions = 0;

  private constructor(address: MysqlAddress, inspected: Inspection, options: MysqlDatabaseOptions) {
    this.address = address;
    this.server = inspected.server;
    this.warnings = inspected.warnings;
    this.dialect = createMysqlDialect(this.server.vendor);
    const { runs, scripts, system } = options.pools;
    this.#runs = this.#pool('run', runs);
    this.#scripts = this.#pool('single', scripts);
    this.#system = this.#pool('single', Math.max(2, system));
    const ours = { waitMs: SYSTEM_WAIT_MS, timeoutMs: SYSTEM_STATEMENT_MS, bounded: false };
    const read = this.#single(this.#system, { ...ours, again: true });
    this.reader = kyselyOver<SystemTables>(this.dialect, read);
    const uniqueKeys = new UniqueKeys(this.reader);
    this.#parts = {
      dialect: this.dialect,
      uniqueKeys,
      kill: (id) => this.#kill('connection', id),
      interrupt: (id) => this.#kill('query', id),
    };
    const patience = { waitMs: SCRIPT_WAIT_MS, timeoutMs: SCRIPT_STATEMENT_MS, bounded: true };
    const scriptRead = this.#single(this.#scripts, { ...patience, again: true });
    const scriptWrite = this.#single(this.#scripts, { ...patience, again: false });
    this.scriptReader = kyselyOver(this.dialect, onlyRows(scriptRead));
    this.#scriptWriter = kyselyOver(this.dialect, explained(onlyRows(scriptWrite), uniqueKeys));
  }

  /**
   * Opens a schema after a look at its server.
   * @throws AppError DB_UNREACHABLE, DB_LOGIN_REFUSED, DB_MISSING, DB_PRIVILEGES, DB_UNSUPPORTED, DB_SETTING,
   * DB_UNAVAILABLE.
   */
  static async open(address: MysqlAddress, options: MysqlDatabaseOptions): Promise<MysqlDatabase> {
    const plan = { setup: 'set names utf8mb4', maxPacket: Number.POSITIVE_INFINITY };
    const connection = await MysqlConnection.open(address, plan);
    try {
      return new MysqlDatabase(address, await inspectServer(connection, address, options.timeZone), options);
    } finally {
      connection.end();
    }
  }

  pools(): readonly PoolUse[] {
    return [
      { use: 'run', ...this.#runs.use },
      { use: 'script', ...this.#scripts.use },
      { use: 'system', ...this.#system.use },
    ];
  }

  begin(waitMs: number): Promise<TxSession> {
    return MysqlTransaction.begin(this.#parts, { pool: this.#runs, waitMs, opening: undefined });
  }

  /** A deadlock or a lock wait is nobody's fault here: the same statements run again. */
  async write<T>(work: (db: SystemDb) => Promise<T>, waitMs = SYSTEM_WAIT_MS): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeOnce(work, waitMs);
      } catch (error: unknown) {
        if (coerceError(error).code !== 'DB_TX_LOST' || attempt >= WRITE_TRIES) throw error;
        await sleep((10 + 40 * Math.random()) * attempt);
      }
    }
  }

  async writeAsScript<T>(work: (db: ScriptDb) => Promise<T>): Promise<T> {
    return work(this.#scriptWriter);
  }

  async writeTogether<T>(work: (db: ScriptDb) => Promise<T>): Promise<T> {
    const options = { pool: this.#scripts, waitMs: SCRIPT_WAIT_MS, opening: 'start transaction' } as const;
    return commitAfter(await MysqlTransaction.begin(this.#parts, options), (tx) => work(tx.script));
  }

  /** On a session of its own: one that was opened before a grant does not have it yet. */
  async define<T>(work: (db: SystemDb) => Promise<T>): Promise<T> {
    const connection = await this.#connect('single');
    try {
      const execute: ExecuteStatement = (query) => connection.execute(query, DEFINE_STATEMENT_MS);
      return await work(kyselyOver<SystemTables>(this.dialect, execute));
    } finally {
      this.#definitions += 1;
      connection.end();
    }
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    const { connection } = await this.#system.acquire(SYSTEM_WAIT_MS);
    const name = `v8host:${this.address.database}`.slice(0, 64);
    const lock = { sql: 'select get_lock(?, ?) as granted', parameters: [name, ALONE_WAIT_SECONDS] };
    try {
      const [row] = (await connection.execute(lock, (ALONE_WAIT_SECONDS + 5) * 1000)).rows as { granted: number }[];
      if (row?.granted !== 1) throw new AppError('DB_BUSY');
      const result = await work();
      await this.#unlock(connection, name);
      return result;
    } catch (error: unknown) {
      // The lock ends with its session.
      this.#system.discard(connection);
      throw error;
    }
  }

  /** Never fails: what was done under the lock is done, and its caller has to note it. */
  async #unlock(connection: MysqlConnection, name: string): Promise<void> {
    try {
      await connection.execute({ sql: 'select release_lock(?)', parameters: [name] }, SYSTEM_STATEMENT_MS);
      this.#system.release(connection);
    } catch {
      this.#system.discard(connection);
    }
  }

  async schemaStamp(): Promise<string> {
    return `${this.#definitions}:${Math.floor(performance.now() / SCHEMA_BELIEF_MS)}`;
  }

  async probe(): Promise<void> {
    try {
      await within(PROBE_MS, this.#writeOnce(touchSchemaRow, PROBE_MS));
    } catch (error: unknown) {
      const cause = coerceError(error);
      throw new AppError('DB_UNAVAILABLE', { reason: String(cause.params.reason ?? cause.message) }, { cause });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#runs.close(CLOSE_WAIT_MS), this.#scripts.close(CLOSE_WAIT_MS)]);
    await this.#system.close(CLOSE_WAIT_MS);
  }

  #pool(role: SessionRole, size: number): ConnectionPool {
    return new ConnectionPool({ size, idleMs: idleMs(this.server, role), open: () => this.#connect(role) });
  }

  #connect(role: SessionRole): Promise<MysqlConnection> {
    const { maxPacket } = this.server;
    return MysqlConnection.open(this.address, { setup: sessionSetup(this.server, role), maxPacket });
  }

  async #writeOnce<T>(work: (db: SystemDb) => Promise<T>, waitMs: number): Promise<T> {
    const options = { pool: this.#system, waitMs, opening: 'start transaction' } as const;
    return commitAfter(await MysqlTransaction.begin(this.#parts, options), (tx) => work(tx.system));
  }

  /** Each statement by itself. */
  #single(pool: ConnectionPool, patience: Patience): ExecuteStatement {
    return async (query) => {
      const { connection, reused } = await pool.acquire(patience.waitMs);
      try {
        if (patience.bounded) {
          const work = connection.executeBounded(query, patience.timeoutMs);
          return await withinTime(timeOf(query), work, {
            interrupt: () => this.#kill('query', connection.id),
            abandon: () => connection.destroy(),
          });
        }
        return await connection.execute(query, patience.timeoutMs);
      } catch (error: unknown) {
        // The server would go on with it: only a statement that sends rows notices that nobody listens.
        if (connection.gaveUp) await this.#kill('connection', connection.id).catch(() => undefined);
        const mayBeStale = patience.again && reused && !connection.gaveUp;
        if (!mayBeStale || !isSessionLost(coerceError(error))) throw error;
        return await this.#single(pool, { ...patience, again: false })(query);
      } finally {
        pool.release(connection);
      }
    };
  }

  async #kill(what: 'connection' | 'query', sessionId: number): Promise<void> {
    const { connection } = await this.#system.acquire(KILL_MS);
    try {
      await connection.run([{ sql: `kill ${what} ${Math.trunc(sessionId)}`, parameters: [] }], KILL_MS);
    } finally {
      this.#system.release(connection);
    }
  }
}

async function commitAfter<T>(tx: MysqlTransaction, work: (tx: MysqlTransaction) => Promise<T>): Promise<T> {
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error: unknown) {
    await tx.rollback();
    throw error;
  }
}

interface Patience {
  /** For a connection. Milliseconds. */
  readonly waitMs: number;
  /** For the answer. Milliseconds. */
  readonly timeoutMs: number;
  /** Sends the statement once more when its connection turns out dead: for reads. */
  readonly again: boolean;
  /** Counts what the statement gives (read-bounds.ts). */
  readonly bounded: boolean;
}

function onlyRows(execute: ExecuteStatement): ExecuteStatement {
  return async (query) => {
    assertRowStatement(query.sql);
    return execute(query);
  };
}

function explained(execute: ExecuteStatement, uniqueKeys: UniqueKeys): ExecuteStatement {
  return async (query): Promise<QueryResult<unknown>> => {
    try {
      return await execute(query);
    } catch (error: unknown) {
      const failure = coerceError(error);
      throw failure.code === 'ROW_NOT_UNIQUE' ? await uniqueKeys.explain(failure, query.query) : failure;
    }
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const end = new AbortController();
  const late = sleep(ms, undefined, { signal: end.signal }).then(() => {
    throw new AppError('DB_UNAVAILABLE', { reason: `no answer within ${ms} ms` });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    end.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
