import { Binary, Decimal128, type Document, Long, ObjectId } from 'mongodb';
import type { LocalText } from '../../core/date-text.ts';
import { CREATE_TIME_FIELD, ID_FIELD, type StoredDocument } from '../../core/document.ts';
import { isObjectId } from '../../core/document-name.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';

/** A document as the server gave it. What other programs stored in kinds that JSON lacks becomes text. */
export function readDocument(document: Document, localText: LocalText): StoredDocument {
  const { [ID_FIELD]: id, ...rest } = document;
  const time: unknown = rest[CREATE_TIME_FIELD];
  const createdAt = time instanceof Date && !Number.isNaN(time.getTime()) ? time.getTime() : undefined;
  if (createdAt !== undefined) delete rest[CREATE_TIME_FIELD];
  return { id: String(toJson(id, localText)), createdAt, fields: toJson(rest, localText) as JsonObject };
}

/** The document of a new one. */
export function writeDocument({ id, fields }: StoredDocument, createdAt: number): Document {
  return { [ID_FIELD]: toId(id), ...fields, [CREATE_TIME_FIELD]: new Date(createdAt) };
}

/** An id as it is written: an ObjectId where it is one. */
export function toId(id: string): ObjectId | string {
  return isObjectId(id) ? ObjectId.createFromHexString(id) : id;
}

/** The ids a text may mean to read: another program may have stored an ObjectId's digits as text. */
export function idsOf(id: string): readonly (ObjectId | string)[] {
  return isObjectId(id) ? [toId(id), id] : [id];
}

/** Dates as local text, integers beyond 2^53 and decimals as text, bytes as Base64, ObjectIds as their digits. */
function toJson(value: unknown, localText: LocalText): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : localText(value.getTime());
  if (Array.isArray(value)) return value.map((element) => toJson(element, localText));
  if (value instanceof Binary) return Buffer.from(value.buffer.subarray(0, value.position)).toString('base64');
  if (value instanceof ObjectId || value instanceof Long || value instanceof Decimal128) return value.toString();
  if (typeof value !== 'object' || '_bsontype' in value) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toJson(each, localText)]));
}
