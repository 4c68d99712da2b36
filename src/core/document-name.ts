/** Names of documents: which database, which collection, which document (v8-surface.md 6.4). */
import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';

/** Where documents of one kind are. The tenant is not part of it: it comes from the run. */
export interface DocumentPlace {
  readonly database: string;
  readonly collection: string;
}

const DATABASE = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/;
const COLLECTION = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** A server allows 255 bytes for the database and the collection together. Bytes of UTF-8. */
const LONGEST_COLLECTION = 180;

/** The databases a MongoDB server keeps for itself, and its tables of users. */
const SERVERS_OWN: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
const SERVERS_COLLECTION = /^system\./i;

const RULES = {
  database: bilingual(
    '只含字母、数字、_、-，最多 63 个字符，不能是 admin、config、local',
    'only letters, digits, _ and -, at most 63 characters, not admin, config or local',
  ),
  collection: bilingual(
    '只含字母、数字、_ . -，以字母、数字或 _ 开头，最多 180 字节，不能以 system. 开头',
    'only letters, digits, _ . and -, beginning with a letter, digit or _, at most 180 bytes, not beginning with system.',
  ),
  id: bilingual(
    '须为 1 到 64 个字符的文本，不含控制字符',
    'it must be text of 1 to 64 characters without control characters',
  ),
} as const;

/** Refusals: PARAM_MISSING and PARAM_INVALID for `DbName` and `TableName`. */
export function parseDocumentPlace(database: unknown, collection: unknown): Parsed<DocumentPlace> {
  for (const [field, name] of [
    ['DbName', database],
    ['TableName', collection],
  ] as const) {
    if (name === undefined || name === null || name === '') return refuse('PARAM_MISSING', { field });
  }
  if (typeof database !== 'string' || !DATABASE.test(database) || SERVERS_OWN.has(database.toLowerCase())) {
    return refuse('PARAM_INVALID', { field: 'DbName', rule: RULES.database });
  }
  if (typeof collection !== 'string' || !isCollection(collection)) {
    return refuse('PARAM_INVALID', { field: 'TableName', rule: RULES.collection });
  }
  return accept({ database, collection });
}

function isCollection(name: string): boolean {
  if (!COLLECTION.test(name) || SERVERS_COLLECTION.test(name)) return false;
  return new TextEncoder().encode(name).byteLength <= LONGEST_COLLECTION;
}

const LONGEST_ID = 64;
const CONTROL = /\p{Cc}/u;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

/**
 * An id as it is stored: an ObjectId in lower case, any other text as it is. The platform takes ObjectIds alone; other
 * texts are allowed so that a script can name a document by an EventId. Refusal: PARAM_INVALID for `Id`.
 */
export function parseDocumentId(id: string): Parsed<string> {
  if (isObjectId(id)) return accept(id.toLowerCase());
  const isSound = id.length > 0 && id.length <= LONGEST_ID && id.isWellFormed() && !CONTROL.test(id);
  return isSound ? accept(id) : refuse('PARAM_INVALID', { field: 'Id', rule: RULES.id });
}

/** 24 hexadecimal digits: what `V8.MongoDb.NewId()` makes, an ObjectId on a server. */
export function isObjectId(id: string): boolean {
  return OBJECT_ID.test(id);
}

/** An ObjectId: 4 bytes of the time in seconds, 8 of chance. @param chanceHex at least 16 hexadecimal digits. */
export function makeObjectId(nowMs: number, chanceHex: string): string {
  const seconds = Math.floor(nowMs / 1000) >>> 0;
  return seconds.toString(16).padStart(8, '0') + chanceHex.slice(0, 16).toLowerCase();
}
