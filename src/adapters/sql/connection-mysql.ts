import type { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { CompiledQuery, QueryResult } from 'kysely';
import mysql, { type Connection, type ResultSetHeader } from 'mysql2';
import { AppError } from '../../core/errors.ts';
import type { MysqlAddress } from './address-mysql.ts';
import { fromMysqlError, fromOpenError, isSessionLost, noAnswer } from './errors-mysql.ts';
import { ReadBounds } from './read-bounds.ts';
import { castCell, toBindable, toLiteral, wireSize } from './values-mysql.ts';

/** How a session is made ours. */
export interface SessionPlan {
  /** Statements that it begins with. */
  readonly setup: string;
  /** Largest statement the server takes with its values. Bytes. */
  readonly maxPacket: number;
}

/** Hands one command to the driver, which calls back once. */
type Send = (done: (error: unknown, answer?: unknown) => void) => void;

/** A statement with its values, as the query builder compiles it. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

const CONNECT_TIMEOUT_MS = 5_000;
/** Each holds memory of the server on every connection; scripts can write any number of different statements. */
const MAX_PREPARED = 40;
/** SERVER_STATUS_IN_TRANS of the protocol. */
const IN_TRANSACTION = 1;

const OPTIONS = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  charset: 'UTF8MB4_GENERAL_CI',
  maxPreparedStatements: MAX_PREPARED,
  // For the host's packets alone: a prepared statement is refused when it is several (delivery.md F2).
  multipleStatements: true,
  // A long stack per statement costs more than the statement.
  trace: false,
  supportBigNumbers: true,
  dateStrings: true,
  jsonStrings: true,
  typeCast: castCell,
} as const;

/** Room for the statement itself beside its values. Bytes. */
const PACKET_OVERHEAD = 4_096;

/**
 * One session. Every promise settles: an answer that does not come in time, and every statement under way when the
 * session is lost or destroyed, rejects with an error for which `isSessionLost` holds.
 */
export class MysqlConnection {
  readonly #driver: Connection;
  readonly #socket: Socket;
  readonly #maxPacket: number;
  readonly #underWay = new Set<(error: AppError) => void>();
  #statements = 0;
  #status = 0;
  #lost: AppError | undefined;
  #gaveUp = false;
  /** Called once when the session ends by itself. */
  onLost: (() => void) | undefined;

  private constructor(driver: Connection, socket: Socket, maxPacket: number) {
    this.#driver = driver;
    this.#socket = socket;
    this.#maxPacket = maxPacket;
    driver.on('error', (error: unknown) => this.#lose(fromMysqlError(error)));
    driver.on('end', () => this.#lose(noAnswer('the server closed the connection')));
  }

  /** Opens a session. @throws AppError of `fromOpenError`. */
  static async open(address: MysqlAddress, { setup, maxPacket }: SessionPlan): Promise<MysqlConnection> {
    // A socket of our own, because the driver's `destroy` only ends its half: a server that hangs would keep the rest.
    const host = (await address.route?.()) ?? address.host;
    const socket = connect({ host, port: address.port, noDelay: true, keepAlive: true });
    const driver = mysql.createConnection({ ...address.connectOptions(), ...OPTIONS, stream: () => socket });
    try {
      await new Promise<void>((resolve, reject) => driver.connect((error) => (error ? reject(error) : resolve())));
    } catch (error: unknown) {
      driver.on('error', () => undefined);
      socket.destroy();
      throw fromOpenError(error, address);
    }
    const connection = new MysqlConnection(driver, socket, maxPacket);
    try {
      await connection.run([{ sql: setup, parameters: [] }], CONNECT_TIMEOUT_MS);
      return connection;
    } catch (error: unknown) {
      connection.destroy();
      throw error;
    }
  }

  /** The server's number of the session, for KILL. */
  get id(): number {
    return this.#driver.threadId;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The session was left because an answer did not come in time: the server may still be at the statement. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** A statement has not answered yet. */
  get isBusy(): boolean {
    return this.#statements > 0;
  }

  /** What the last statement that was no SELECT said. */
  get inTransaction(): boolean {
    return (this.#status & IN_TRANSACTION) !== 0;
  }

  /** Executes one prepared statement. @throws AppError. */
  async execute(statement: Statement, timeoutMs?: number): Promise<QueryResult<unknown>> {
    this.#assertFits(statement);
    const values = statement.parameters.map(toBindable) as never[];
    const answer = await this.#askBusily(timeoutMs, (done) => this.#driver.execute(statement.sql, values, done));
    return this.#toResult(answer);
  }

  /** The same for a statement that may give more than the host can hold. @throws AppError also of ReadBounds. */
  async executeBounded(statement: Statement, timeoutMs?: number): Promise<QueryResult<unknown>> {
    this.#assertFits(statement);
    const values = statement.parameters.map(toBindable) as never[];
    const answer = await this.#askBusily(timeoutMs, (done) => {
      collectBounded(this.#driver.execute(statement.sql, values) as unknown as EventEmitter, done);
    });
    return this.#toResult(answer);
  }

  /**
   * Sends statements of the host in one packet; the server stops at the first that fails. None of them is a SELECT.
   * @throws AppError.
   */
  async run(statements: readonly Statement[], timeoutMs?: number): Promise<readonly QueryResult<unknown>[]> {
    const text = statements.map(({ sql }) => sql).join('; ');
    const values = statements.flatMap(({ parameters }) => parameters.map(toLiteral));
    const answer = await this.#askBusily(timeoutMs, (done) => this.#driver.query(text, values, done));
    return isHeader(answer)
      ? [this.#toResult(answer)]
      : (answer as ResultSetHeader[]).map((each) => this.#toResult(each));
  }

  /** Shows the server that this host is alive, which restarts its idle timers. @throws AppError. */
  async ping(timeoutMs: number): Promise<void> {
    await this.#ask(timeoutMs, (done) => this.#driver.ping(done));
  }

  /** Says good-bye to the server; nothing may be under way. */
  end(): void {
    if (this.#lost !== undefined) return;
    this.#lost = noAnswer('the connection was closed');
    this.#driver.end(() => undefined);
    this.#socket.end();
    // A server that hangs never closes its side, and the process must not wait for it.
    this.#socket.unref();
  }

  /** Cuts the session; the server rolls back when it notices. */
  destroy(): void {
    this.#lose(noAnswer('the connection was cut by this host'));
  }

  /** The server would close the session on a larger one, which would look like an outage. */
  #assertFits({ parameters }: Statement): void {
    const size = parameters.reduce<number>((sum, value) => sum + wireSize(value), 0);
    if (size + PACKET_OVERHEAD <= this.#maxPacket) return;
    const message = `the values have ${size} bytes, more than the server's max_allowed_packet of ${this.#maxPacket}: raise it`;
    throw new AppError('DB_STATEMENT', { message });
  }

  async #askBusily(timeoutMs: number | undefined, send: Send): Promise<unknown> {
    this.#statements += 1;
    try {
      return await this.#ask(timeoutMs, send);
    } finally {
      this.#statements -= 1;
    }
  }

  /** Sends one command and waits for its callback, the loss of the session or the timeout. */
  #ask(timeoutMs: number | undefined, send: Send): Promise<unknown> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        if (this.#underWay.delete(lose)) act();
      };
      const lose = (error: AppError) => settle(() => reject(error));
      const giveUp = () => {
        this.#gaveUp = true;
        this.#lose(noAnswer(`no answer within ${timeoutMs} ms`));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
      this.#underWay.add(lose);
      send((error, answer) => settle(() => (error ? reject(this.#noticed(error)) : resolve(answer))));
    });
  }

  #noticed(thrown: unknown): AppError {
    const error = fromMysqlError(thrown);
    if (isSessionLost(error)) this.#lose(error);
    return error;
  }

  /** The driver forgets the callbacks of a connection that it closes itself. */
  #lose(error: AppError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    for (const lose of [...this.#underWay]) lose(error);
    this.#driver.destroy();
    this.#socket.destroy();
    this.onLost?.();
  }

  #toResult(answer: unknown): QueryResult<unknown> {
    if (!isHeader(answer)) return { rows: (answer as unknown[] | undefined) ?? [] };
    this.#status = answer.serverStatus;
    return { rows: [], numAffectedRows: BigInt(answer.affectedRows), insertId: BigInt(answer.insertId) };
  }
}

/** Keeps the rows while they fit; the rest is read and dropped, because the session cannot stop the server. */
function collectBounded(command: EventEmitter, done: (error: unknown, answer?: unknown) => void): void {
  const bounds = new ReadBounds();
  const rows: Record<string, unknown>[] = [];
  let header: ResultSetHeader | undefined;
  let failure: unknown;
  const keep = (row: Record<string, unknown>): unknown => {
    const refusal = bounds.refuse(row);
    if (refusal === undefined) rows.push(row);
    else rows.length = 0;
    return refusal;
  };
  command.on('error', (error) => {
    failure = error;
  });
  // A row comes with the number of its result, the header of a write without.
  command.on('result', (result: ResultSetHeader | Record<string, unknown>, index?: number) => {
    if (index === undefined) header = result as ResultSetHeader;
    else if (failure === undefined) failure = keep(result as Record<string, unknown>);
  });
  command.on('end', () => done(failure ?? null, header ?? rows));
}

function isHeader(answer: unknown): answer is ResultSetHeader {
  return typeof answer === 'object' && answer !== null && 'serverStatus' in answer && !Array.isArray(answer);
}
