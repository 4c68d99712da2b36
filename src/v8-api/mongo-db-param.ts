/** Parameters of V8.MongoDb. A key that would have to be ignored although it means something is refused by its name. */
import { DEFAULT_DOCUMENTS, MAX_DOCUMENTS } from '../core/document.ts';
import { type DocumentPlace, parseDocumentId, parseDocumentPlace } from '../core/document-name.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Call } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank, readObject, readPositiveInteger } from './param-values.ts';

/** A checked call. */
export interface DocumentCall extends CallParam {
  readonly call: Call;
  readonly place: DocumentPlace;
  readonly id: string | undefined;
}

/** What the members read; the rest of what V8.Param may bring along changes nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['DbName', 'TableName', 'Id', '_FormData', '_Where', '_PageIndex', '_PageSize', '_Top'],
  ...['OsClient', '_OsClient', '_Lang', 'lang', '_CurrentUser', '_TrustedServerInvocation', '_InvokeType', '_DeviceId'],
]);

/** @throws AppError PARAM_MISSING, PARAM_INVALID, TENANT_MISMATCH. */
export function readDocumentCall(call: Call): DocumentCall {
  const [values] = call.args;
  if (!isJsonObject(values)) return refuseParam('param', 'object', call.lang);
  checkTenant(values, call.context.tenant);
  const strange = Object.keys(values).find((key) => key.startsWith('_') && !KNOWN.has(key) && !isBlank(values[key]));
  if (strange !== undefined) refuseParam(strange, 'otherMethod', call.lang);
  const place = orThrow(parseDocumentPlace(values.DbName, values.TableName));
  call.context.touch(`${place.database}/${place.collection}`);
  return { call, values, lang: call.lang, place, id: readId(values.Id, call) };
}

/** @throws AppError PARAM_MISSING. */
export function requiredId({ id }: DocumentCall): string {
  if (id === undefined) throw new AppError('PARAM_MISSING', { field: 'Id' });
  return id;
}

/** @throws AppError PARAM_MISSING, PARAM_INVALID. */
export function requiredData(param: DocumentCall): JsonObject {
  const data = readObject(param, '_FormData');
  if (data === undefined) throw new AppError('PARAM_MISSING', { field: '_FormData' });
  return data;
}

/**
 * `_PageIndex` (from 1) with `_PageSize`, else `_Top`, else the first 1,000 (v8-surface.md 6.4). A page without size
 * has 1,000; a size without page is the first page.
 * @throws AppError PARAM_INVALID, DOCUMENTS_TOO_MANY.
 */
export function readDocumentPage(param: DocumentCall): { readonly offset: number; readonly limit: number } {
  const index = readPositiveInteger(param, '_PageIndex');
  const size = readPositiveInteger(param, '_PageSize');
  const top = readPositiveInteger(param, '_Top');
  const limit = size ?? (index === undefined ? top : undefined) ?? DEFAULT_DOCUMENTS;
  if (limit > MAX_DOCUMENTS) throw new AppError('DOCUMENTS_TOO_MANY', { limit: MAX_DOCUMENTS });
  const offset = ((index ?? 1) - 1) * limit;
  // Numbers beyond what databases take as an offset lead past every end.
  return { offset: Math.min(offset, Number.MAX_SAFE_INTEGER), limit };
}

/** An id as it is stored; undefined when blank. @throws AppError PARAM_INVALID. */
export function readId(value: JsonValue | undefined, { lang }: Call): string | undefined {
  if (isBlank(value)) return undefined;
  return orThrow(parseDocumentId(asText(value)?.trim() ?? refuseParam('Id', 'scalarText', lang)));
}
