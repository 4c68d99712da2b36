/** V8.Db, V8.DbRead, V8.DbTrans: a script's own SQL (v8-surface.md 4). The chain itself is sandbox/prelude/sql-section.js. */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { type GuardedSql, guardSql } from '../core/sql-guard.ts';
import { parameterKey, type SqlParameter, type SqlParameters } from '../core/sql-statement.ts';
import type { SqlAnswer, SqlSession } from '../ports/sql-session.ts';
import { type Call, hostCall } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { isBlank } from './param-values.ts';

/** How a member differs: where its statements run, and whether they may write. */
export interface SqlPlace {
  /** For the story; empty for the tenant's own database. */
  readonly place: string;
  readonly writes: boolean;
  /** Statements end with the run, which has no other hold on them. */
  readonly endsWithRun: boolean;
  readonly session: () => Promise<SqlSession>;
}

export const DB = {
  'Db.FromSql': hostCall((call) => runSql(call, own(call, false, true))),
  'DbRead.FromSql': hostCall((call) => runSql(call, own(call, false, false))),
  'DbTrans.FromSql': hostCall((call) => runSql(call, own(call, true, true))),
} as const;

/** Parameters of one statement at most, far above what a person writes. */
const MAX_PARAMETERS = 2_000;

/** @param joins opens the platform transaction. */
function own({ context }: Call, joins: boolean, writes: boolean): SqlPlace {
  return { place: '', writes, endsWithRun: false, session: () => context.sql(joins) };
}

/** Guards a statement, runs it and gives what its ending asks for. @throws AppError SQL_REFUSED, and as SqlSession. */
export async function runSql(call: Call, place: SqlPlace): Promise<DosResult> {
  const [request] = call.args;
  if (!isJsonObject(request)) return refuseParam('FromSql', 'sqlText', call.lang);
  if (typeof request.Sql !== 'string') return refuseParam('FromSql', 'sqlText', call.lang);
  const statement = orThrow(guardSql(request.Sql));
  call.context.touch([place.place, statement.tables.join(', ')].filter((part) => part !== '').join(' '));
  checkUse(call, statement, request, place);
  const session = await place.session();
  const timeoutMs = readTimeoutMs(call, request) ?? (place.endsWithRun ? call.context.remainingMs() : undefined);
  const answer = await session.run(statement, readParameters(call, request), timeoutMs);
  return succeed(ending(request.Ending, answer));
}

function checkUse(call: Call, statement: GuardedSql, request: JsonObject, place: SqlPlace): void {
  const reads = statement.verb === 'select';
  if (!reads && !place.writes) refuseParam('DbRead.FromSql', 'readsOnly', call.lang);
  if (reads && request.Ending === 'ExecuteNonQuery') refuseParam('ExecuteNonQuery', 'writesOnly', call.lang);
}

/** `SetCommandTimeout(seconds)` in milliseconds; the run's own time ends a longer one. */
function readTimeoutMs(call: Call, { Seconds: seconds }: JsonObject): number | undefined {
  if (isBlank(seconds)) return undefined;
  const asked = Number(seconds) * 1000;
  if (!(asked > 0)) return refuseParam('SetCommandTimeout', 'seconds', call.lang);
  return asked < call.context.remainingMs() ? Math.ceil(asked) : undefined;
}

function ending(name: JsonValue | undefined, { rows, affected }: SqlAnswer): JsonValue {
  const first = rows[0] as JsonObject | undefined;
  switch (name) {
    case 'ExecuteNonQuery':
      return affected;
    case 'First':
      return first ?? null;
    case 'ToScalar':
      return first === undefined ? null : (Object.values(first)[0] ?? null);
    default:
      return rows as readonly JsonValue[] as JsonValue;
  }
}

/** The last value given for a name counts. */
function readParameters(call: Call, { Parameters: given }: JsonObject): SqlParameters {
  const list = Array.isArray(given) ? given : [];
  if (list.length > MAX_PARAMETERS) refuseParam('AddInParameter', 'manyParameters', call.lang);
  const parameters = new Map<string, SqlParameter>();
  for (const each of list) {
    if (!isJsonObject(each) || typeof each.Name !== 'string')
      throw new AppError('PARAM_MISSING', { field: 'AddInParameter' });
    parameters.set(parameterKey(each.Name), readValue(call, each.Name, each.Value ?? null));
  }
  return parameters;
}

function readValue(call: Call, name: string, value: JsonValue): SqlParameter {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every(isScalar)) return value.map(asCell);
  return refuseParam(`@${parameterKey(name)}`, 'sqlValue', call.lang);
}

type Scalar = string | number | boolean | null;

function isScalar(value: JsonValue): value is Scalar {
  return value === null || typeof value !== 'object';
}

function asCell(value: Scalar): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}
