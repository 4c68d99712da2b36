import type { CompiledQuery, QueryResult } from 'kysely';
import type { MysqlConnection, Statement } from './connection-mysql.ts';
import type { PacketStatement } from './sql-database.ts';
import { sizeOf } from './values-mysql.ts';

/** A larger statement goes prepared and by itself: as text its bytes double. */
const MAX_TEXT_BYTES = 65_536;
/** A packet with more is split, well below what any server takes. */
const MAX_PACKET_BYTES = 1_048_576;

/**
 * Stops a packet unless the statement before it matched so many rows: a subquery with two rows is an error in SET
 * (delivery.md 3.1 step 7), and the COMMIT behind it is not reached.
 */
const guard = (matches: number): Statement => ({
  sql: `set @matched = if(row_count() = ${matches}, 1, (select 1 union select 2))`,
  parameters: [],
});

const COMMIT: Statement = { sql: 'commit', parameters: [] };

/** Statements that go to the server at once. */
export class CommitPacket {
  readonly #statements: readonly PacketStatement[];
  readonly #prepared: boolean;

  constructor(statements: readonly PacketStatement[], prepared: boolean) {
    this.#statements = statements;
    this.#prepared = prepared;
  }

  /** @param commits ends the packet with COMMIT. @returns the results of the statements, in order. @throws AppError. */
  async send(
    connection: MysqlConnection,
    commits: boolean,
    timeoutMs: number,
  ): Promise<readonly QueryResult<unknown>[]> {
    if (this.#prepared) {
      const results: QueryResult<unknown>[] = [];
      for (const { query } of this.#statements) results.push(await connection.execute(query.compile(), timeoutMs));
      return results;
    }
    const texts: Statement[] = [];
    const places: number[] = [];
    for (const { query, matches } of this.#statements) {
      places.push(texts.length);
      texts.push(query.compile());
      if (matches !== undefined) texts.push(guard(matches));
    }
    if (commits) texts.push(COMMIT);
    const answers = await connection.run(texts, timeoutMs);
    return places.map((place) => answers[place] ?? { rows: [] });
  }
}

/** Divides the statements into packets, in order; the last one may commit and is never a prepared statement. */
export function packetsOf(statements: readonly PacketStatement[]): readonly CommitPacket[] {
  const packets: CommitPacket[] = [];
  let open: PacketStatement[] = [];
  let bytes = 0;
  const flush = () => {
    if (open.length > 0) packets.push(new CommitPacket(open, false));
    open = [];
    bytes = 0;
  };
  for (const statement of statements) {
    const size = bytesOf(statement);
    const alone = size > MAX_TEXT_BYTES && statement.matches === undefined;
    if (alone || bytes + size > MAX_PACKET_BYTES) flush();
    if (alone) packets.push(new CommitPacket([statement], true));
    else {
      open.push(statement);
      bytes += size;
    }
  }
  packets.push(new CommitPacket(open, false));
  return packets;
}

function bytesOf({ query }: PacketStatement): number {
  return sizeOfAll(query.compile());
}

function sizeOfAll({ parameters }: CompiledQuery): number {
  return parameters.reduce<number>((sum, value) => sum + sizeOf(value), 0);
}

const WRITES: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);
/** More than the claim of an event, the statement that runs most. */
const MANY_PARAMETERS = 16;

/**
 * True for a write of the host that would be prepared for this one time: lists and batches of any length make a
 * statement of their own each, and preparing costs a round trip.
 */
export function goesAsText(query: CompiledQuery): boolean {
  if (!WRITES.has(query.query.kind) || query.parameters.length <= MANY_PARAMETERS) return false;
  return sizeOfAll(query) <= MAX_TEXT_BYTES;
}
