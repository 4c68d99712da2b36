/** V8.MongoDb: documents of the tenant (v8-surface.md 6.4), by the platform's names and rules. */
import { CREATE_TIME_FIELD, ID_FIELD, parseDocumentFields, type StoredDocument } from '../core/document.ts';
import { makeObjectId } from '../core/document-name.ts';
import { type DocumentNode, parseDocumentWhere } from '../core/document-where.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { describeError, orThrow } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { RunContext } from '../ports/run-context.ts';
import { warnAuthor } from './author-warning.ts';
import { type Call, hostCall } from './host-call.ts';
import {
  type DocumentCall,
  readDocumentCall,
  readDocumentPage,
  readId,
  requiredData,
  requiredId,
} from './mongo-db-param.ts';

export const MONGO_DB = {
  'MongoDb.NewId': hostCall(async ({ context }) => newId(context)),
  'MongoDb.AddFormData': hostCall(addFormData),
  'MongoDb.UptFormData': hostCall(uptFormData),
  'MongoDb.DelFormData': hostCall(delFormData),
  'MongoDb.GetFormData': hostCall(getFormData),
  'MongoDb.GetTableData': hostCall(getTableData),
} as const;

function newId({ clock, ids }: RunContext): string {
  return makeObjectId(clock.now(), ids.sha256Hex(ids.guid()));
}

/** Stores a new document under `Id`, `_FormData._id` or a new id, with the time in CreateTime. Data is the document. */
async function addFormData(call: Call): Promise<DosResult> {
  const document = readDocumentCall(call);
  const given = requiredData(document);
  const id = document.id ?? readId(given[ID_FIELD], call) ?? newId(call.context);
  const stored = { id, createdAt: call.context.clock.now(), fields: orThrow(parseDocumentFields(given)) };
  await (await call.context.documents()).insert(document.place, stored);
  return succeed(shownDocument(stored, call));
}

/** Sets the fields of `_FormData`, leaving the others. Code 0 when nothing differs, as on the platform. */
async function uptFormData(call: Call): Promise<DosResult> {
  const document = readDocumentCall(call);
  const id = requiredId(document);
  const fields = orThrow(parseDocumentFields(requiredData(document)));
  await (await call.context.documents()).update(document.place, id, fields);
  return succeed({ [ID_FIELD]: id, ...fields }, { DataCount: 1 });
}

async function delFormData(call: Call): Promise<DosResult> {
  const document = readDocumentCall(call);
  await (await call.context.documents()).delete(document.place, requiredId(document));
  return succeed(null, { DataCount: 1 });
}

/** By Id alone. Code 2 when there is none. */
async function getFormData(call: Call): Promise<DosResult> {
  const document = readDocumentCall(call);
  const id = requiredId(document);
  if (document.values._Where !== undefined && document.values._Where !== null) {
    warnAuthor(call, {
      zh: 'V8.MongoDb.GetFormData 只按 Id 读取，忽略 _Where：按条件请用 GetTableData。',
      en: 'V8.MongoDb.GetFormData reads by Id and ignores _Where: use GetTableData for conditions.',
    });
  }
  const found = await (await call.context.documents()).find(document.place, id);
  if (found !== undefined) return succeed(shownDocument(found, call));
  return { Code: 2, Data: null, Msg: describeError({ code: 'DOCUMENT_MISSING', params: { id } }, call.lang) };
}

/** The newest documents first; DataCount is how many match. */
async function getTableData(call: Call): Promise<DosResult> {
  const document = readDocumentCall(call);
  const page = readDocumentPage(document);
  const where = readWhere(document);
  const { documents, total } = await (await call.context.documents()).list(document.place, {
    where,
    ...page,
    signal: call.context.signal,
  });
  return succeed(
    documents.map((each) => shownDocument(each, call)),
    { DataCount: total },
  );
}

function readWhere({ call, values }: DocumentCall): readonly DocumentNode[] {
  const { clock } = call.context;
  const scope = { localText: (ms: number) => clock.localText(ms), lang: call.lang };
  const { nodes, notes } = orThrow(parseDocumentWhere(values._Where, scope));
  for (const { index, rule } of notes) {
    warnAuthor(call, {
      zh: `V8.MongoDb 的 _Where 第 ${index} 个条件：${rule.zh}`,
      en: `Condition ${index} of a _Where of V8.MongoDb: ${rule.en}`,
    });
  }
  return nodes;
}

/** As a script sees it: the id first, and the time as local text. */
function shownDocument({ id, createdAt, fields }: StoredDocument, { context }: Call): JsonObject {
  const time = createdAt === undefined ? {} : { [CREATE_TIME_FIELD]: context.clock.localText(createdAt) };
  return { [ID_FIELD]: id, ...fields, ...time };
}
