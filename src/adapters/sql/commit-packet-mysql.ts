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

/** A statement of a packet as it is sent. */
interface PacketPart {
  readonly statement: Statement;
  readonly matches: number | undefined;
}

/** Statements that go to the server at once. */
export class CommitPacket {
  readonly #parts: readonly PacketPart[];
  readonly #prepared: boolean;

  constructor(parts: readonly PacketPart[], prepared: boolean) {
    this.#parts = parts;
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
      for (const { statement } of this.#parts) results.push(await connection.execute(statement, timeoutMs));
      return results;
    }
    const texts: Statement[] = [];
    const places: number[] = [];
    for (const { statement, matches } of this.#parts) {
      places.push(texts.length);
      texts.push(statement);
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
  let open: PacketPart[] = [];
  let bytes = 0;
  const flush = () => {
    if (open.length > 0) packets.push(new CommitPacket(open, false));
    open = [];
    bytes = 0;
  };
  for (const { query, matches } of statements) {
    const part = { statement: query.compile(), matches };
    const size = sizeOfAll(part.statement);
    const alone = size > MAX_TEXT_BYTES && matches === undefined;
    if (alone || bytes + size > MAX_PACKET_BYTES) flush();
    if (alone) packets.push(new CommitPacket([part], true));
    else {
      open.push(part);
      bytes += size;
    }
  }
  packets.push(new CommitPacket(open, false));
  return packets;
}

function sizeOfAll({ parameters }: Statement): number {
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
