/** V8.Dbs: databases beside the tenant's own (v8-surface.md 4). The objects are sandbox/prelude/dbs.js. */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { runSql } from './db.ts';
import { type Call, hostCall } from './host-call.ts';

export const DBS = {
  'Dbs.List': hostCall(list),
  'Dbs.FromSql': hostCall(fromSql),
  'Dbs.Begin': hostCall(begin),
  'Dbs.End': hostCall(end),
  'Dbs.Open': hostCall(open),
} as const;

async function list(call: Call): Promise<DosResult> {
  return succeed([...(await call.context.databases().keys())]);
}

/** FromSql({Db, Tx?, Sql, Parameters, Ending, Seconds}). */
function fromSql(call: Call): Promise<DosResult> {
  const request = requestOf(call);
  const key = textOf(request, 'Db');
  const transaction = typeof request.Tx === 'string' ? request.Tx : undefined;
  return runSql(call, {
    place: `Dbs.${key}`,
    writes: true,
    endsWithRun: true,
    session: () => call.context.databases().sql(key, transaction),
  });
}

/** Begin({Db}): Data is the transaction. */
async function begin(call: Call): Promise<DosResult> {
  const key = textOf(requestOf(call), 'Db');
  call.context.touch(`Dbs.${key}`);
  return succeed(await call.context.databases().begin(key));
}

/** End({Tx, Commit}). */
async function end(call: Call): Promise<DosResult> {
  const request = requestOf(call);
  await call.context.databases().end(textOf(request, 'Tx'), request.Commit === true);
  return succeed();
}

/** Open(type, connection): Data is the key of the database. */
async function open(call: Call): Promise<DosResult> {
  const [type, connection] = call.args;
  if (typeof type !== 'string') throw new AppError('PARAM_MISSING', { field: 'databaseType' });
  if (typeof connection !== 'string') throw new AppError('PARAM_MISSING', { field: 'connectionString' });
  return succeed(await call.context.databases().open(type, connection));
}

function requestOf(call: Call): JsonObject {
  const [request] = call.args;
  return isJsonObject(request) ? request : {};
}

function textOf(request: JsonObject, field: string): string {
  const value = request[field];
  if (typeof value !== 'string') throw new AppError('PARAM_MISSING', { field });
  return value;
}
