import type { FastifyRequest } from 'fastify';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { parseJson, utf8 } from '../core/json-text.ts';
import { isKnownCharset } from '../core/response-text.ts';
import { readXmlFields } from '../core/xml-fields.ts';

/** A request's body as parameters (v8-surface.md 5.3). */
export interface EntryBody {
  /** Of JSON and XML. */
  readonly values: JsonObject;
  /** A JSON body that is a list. */
  readonly rows?: readonly JsonValue[];
  readonly form: Readonly<Record<string, string>>;
  /** File name to Base64. */
  readonly files: JsonObject;
  readonly isJson: boolean;
  /** A JSON body that is neither object nor list; what takes none refuses it by `notObject`. */
  readonly scalar?: JsonValue;
}

/** Fields and files of one form. */
const MAX_PARTS = 1000;

const EMPTY: EntryBody = Object.freeze({ values: {}, form: {}, files: {}, isJson: false });

/**
 * Reads JSON, XML, urlencoded and multipart bodies. @param bytes undefined without a body.
 * @throws AppError JSON_INVALID, REQUEST_INVALID, ENTRY_MEDIA_TYPE.
 */
export async function readEntryBody(request: FastifyRequest, bytes: Uint8Array | undefined): Promise<EntryBody> {
  const contentType = request.headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (bytes === undefined || bytes.byteLength === 0) return isJson ? { ...EMPTY, isJson } : EMPTY;
  if (isJson) return readJson(entryBodyText(bytes, contentType));
  switch (type) {
    case 'application/x-www-form-urlencoded':
      return { ...EMPTY, form: readUrlencoded(entryBodyText(bytes, contentType)) };
    case 'multipart/form-data':
      return readMultipart(bytes, contentType);
    case 'text/xml':
    case 'application/xml':
      return { ...EMPTY, values: orThrow(readXmlFields(entryBodyText(bytes, contentType))) };
    default:
      throw new AppError('ENTRY_MEDIA_TYPE', { type: type.slice(0, 100) });
  }
}

function readJson(text: string): EntryBody {
  if (text.trim() === '') return { ...EMPTY, isJson: true };
  const value = orThrow(parseJson(text));
  if (isJsonObject(value)) return { ...EMPTY, values: value, isJson: true };
  if (Array.isArray(value)) return { ...EMPTY, rows: value, isJson: true };
  return { ...EMPTY, scalar: value, isJson: true };
}

export function notObject(): AppError {
  return new AppError('REQUEST_INVALID', { field: 'body', rule: '{…}' });
}

/** Of a query or a form; a name that stands there several times has its values joined by commas, as on the platform. */
export function readFields(pairs: Iterable<readonly [string, string]>): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = fields.get(name);
    if (before === undefined && fields.size >= MAX_PARTS) throw tooManyParts();
    fields.set(name, before === undefined ? value : `${before},${value}`);
  }
  fields.delete('__proto__');
  return Object.fromEntries(fields);
}

/** The pairs are counted first: to take a body of millions apart holds up the host for seconds and more. */
function readUrlencoded(text: string): Readonly<Record<string, string>> {
  if (hasMore(text, '&', MAX_PARTS)) throw tooManyParts();
  return readFields(new URLSearchParams(text));
}

async function readMultipart(bytes: Uint8Array, contentType: string): Promise<EntryBody> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Each part has a line of its own with the boundary, and one ends the last.
  if (hasMore(whole, `--${boundaryOf(contentType)}`, MAX_PARTS + 1)) throw tooManyParts();
  const form: [string, string][] = [];
  const files = new Map<string, string>();
  for (const [name, content] of await parseMultipart(bytes, contentType)) {
    if (typeof content === 'string') form.push([name, content]);
    else files.set(freeName(content.name, files), Buffer.from(await content.arrayBuffer()).toString('base64'));
    if (form.length + files.size > MAX_PARTS) throw tooManyParts();
  }
  files.delete('__proto__');
  return { ...EMPTY, form: readFields(form), files: Object.fromEntries(files) };
}

/** One boundary, written so that it cannot be read in two ways: as what is counted and as what is parsed. */
function boundaryOf(contentType: string): string {
  const [found, ...others] = contentType.matchAll(/boundary\s*=\s*("?)([\w'()+,./:=?-]{1,70})\1\s*(?:;|$)/gi);
  const isSingle = others.length === 0 && contentType.match(/boundary\s*=/gi)?.length === 1;
  if (found?.[2] === undefined || !isSingle) throw notMultipart();
  return found[2];
}

async function parseMultipart(bytes: Uint8Array, contentType: string): Promise<FormData> {
  try {
    return await new Response(Uint8Array.from(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw notMultipart();
  }
}

function notMultipart(): AppError {
  return new AppError('REQUEST_INVALID', { field: 'body', rule: 'multipart/form-data (RFC 7578)' });
}

/** Two pictures of one phone may have the same name, and neither may be lost: `a.jpg`, `a (2).jpg`. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const [, base = name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${base} (${number})${extension}`;
  }
}

/** A body's text in the charset of its type, else UTF-8. @throws AppError REQUEST_INVALID. */
export function entryBodyText(bytes: Uint8Array, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (isKnownCharset(charset) && charset !== 'utf-8' && charset !== 'utf8')
    return new TextDecoder(charset).decode(bytes);
  const text = utf8(bytes);
  if (text === undefined) throw new AppError('REQUEST_INVALID', { field: 'body', rule: 'UTF-8' });
  return text;
}

/** True when `part` occurs more than `most` times. It stops there. */
function hasMore(whole: string | Buffer, part: string, most: number): boolean {
  let count = 0;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + part.length)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function tooManyParts(): AppError {
  return new AppError('REQUEST_INVALID', { field: 'body', rule: `≤ ${MAX_PARTS}` });
}
