/** Bodies of V8.Http: forms, JSON, XML, raw text, raw bytes and files (v8-surface.md 6.2). */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { encodeMultipart, type FormPart } from '../core/multipart.ts';
import { isHeaderValue } from '../core/outbound-credential.ts';
import { warnAuthor } from './author-warning.ts';
import type { Call } from './host-call.ts';
import { type ParamRule, refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank, readObject, readText } from './param-values.ts';

/** Prefixes of the parameters that hold a verb's body: `['Patch', 'Post']` reads PatchParam, else PostParam. */
export interface BodyNames {
  readonly prefixes: readonly string[];
  /** True when the verb sends nothing unless it is given a body. */
  readonly optional?: true;
}

export interface HttpContent {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly isMultipart?: true;
}

/** The parameters of a body. */
interface Body {
  readonly param: CallParam;
  /** Name and value of the object, such as PostParam. */
  readonly objectKey: string;
  readonly object: JsonValue | undefined;
  /** Name and value of the raw text, such as PostParamString. */
  readonly rawKey: string;
  readonly raw: string | undefined;
  readonly files: readonly FormPart[];
}

const TYPES = {
  form: 'application/x-www-form-urlencoded; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  binary: 'application/octet-stream',
} as const;

/** Ways to hand over files that only .NET objects have. */
const NO_FILES_BY = ['FilesStream'];

/** Parameters of a body, for the warning where there is none. */
const ANY_BODY = /^(Post|Patch|Put|Delete)Param(String)?$|^Files/;

/** Reads the body, or undefined when the request has none. @throws AppError PARAM_INVALID. */
export function readContent(call: Call, param: CallParam, names: BodyNames | undefined): HttpContent | undefined {
  if (names === undefined) {
    const ignored = Object.keys(param.values).find((key) => ANY_BODY.test(key) && !isBlank(param.values[key]));
    if (ignored !== undefined) warnAuthor(call, noBodyText(ignored));
    return undefined;
  }
  const body = readBody(param, names.prefixes);
  const isGiven = !isBlank(body.object) || body.raw !== undefined || body.files.length > 0;
  if (names.optional === true && !isGiven) return undefined;
  const content = contentOf(call, body);
  const type = readText(param, 'ContentType');
  if (type !== undefined && !isHeaderValue(type)) return refuseParam('ContentType', 'headerText', param.lang);
  return type === undefined || content.isMultipart === true ? content : { ...content, type };
}

function readBody(param: CallParam, prefixes: readonly string[]): Body {
  const keyWith = (suffix: string) => {
    const keys = prefixes.map((prefix) => prefix + suffix);
    return keys.find((key) => !isBlank(param.values[key])) ?? keys[0] ?? '';
  };
  const [objectKey, rawKey] = [keyWith('Param'), keyWith('ParamString')];
  const raw = readText(param, rawKey);
  return { param, objectKey, object: param.values[objectKey], rawKey, raw, files: readFiles(param) };
}

function contentOf(call: Call, body: Body): HttpContent {
  const { param, object, raw, files } = body;
  const asked = readText(param, 'ParamType')?.trim().toLowerCase();
  if (asked === 'binary') return readBinary(body);
  if (files.length > 0) return multipart(call, body);
  switch (asked ?? (raw !== undefined && !isBlank(param.values.ContentType) ? 'text' : 'form')) {
    case 'json':
      return { type: TYPES.json, body: raw ?? JSON.stringify(object ?? {}) };
    case 'xml':
      return { type: TYPES.xml, body: raw ?? readXmlText(body) };
    case 'text':
      return { type: TYPES.text, body: raw ?? '' };
    case 'form':
      if (raw !== undefined) return refuseParam(body.rawKey, 'rawNeedsType', param.lang);
      return { type: TYPES.form, body: new URLSearchParams(formFields(readForm(body))).toString() };
    default:
      return refuseParam('ParamType', 'paramType', param.lang);
  }
}

function readXmlText({ param, object, objectKey }: Body): string {
  if (isBlank(object)) return '';
  return typeof object === 'string' ? object : refuseParam(objectKey, 'xmlText', param.lang);
}

function readForm({ param, objectKey }: Body): JsonObject {
  return readObject(param, objectKey) ?? {};
}

/** The bytes of the only file, or of the raw text. */
function readBinary({ param, files, raw }: Body): HttpContent {
  const [file] = files;
  if (files.length > 1 || (file === undefined) === (raw === undefined)) {
    return refuseParam('ParamType', 'binaryBody', param.lang);
  }
  return { type: TYPES.binary, body: file?.content ?? raw ?? '' };
}

/**
 * Fields first, then files, each under its name. The boundary comes from the content, so that a repeated request has
 * the same bytes: receivers of an Idempotency-Key compare them.
 */
function multipart({ context }: Call, body: Body): HttpContent {
  const fields = formFields(readForm(body)).map(([name, content]): FormPart => ({ name, content }));
  const parts = [...fields, ...body.files];
  const boundary = `v8host-${context.ids.sha256Hex(encodeMultipart(parts, '')).slice(0, 40)}`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: encodeMultipart(parts, boundary),
    isMultipart: true,
  };
}

/** FilesByteBase64, FilesByteString and FilesByte: `{fileName: content}`. */
function readFiles(param: CallParam): FormPart[] {
  for (const key of NO_FILES_BY) if (!isBlank(param.values[key])) refuseParam(key, 'upload', param.lang);
  return [
    ...filesOf(param, 'FilesByteBase64', 'base64Files', fromBase64),
    ...filesOf(param, 'FilesByteString', 'textFiles', (value) => (typeof value === 'string' ? value : undefined)),
    ...filesOf(param, 'FilesByte', 'byteFiles', fromByteList),
  ];
}

function filesOf(
  param: CallParam,
  key: string,
  rule: ParamRule,
  read: (value: JsonValue | undefined) => string | Uint8Array | undefined,
): FormPart[] {
  return Object.entries(readObject(param, key) ?? {}).map(([name, value]) => {
    const content = read(value);
    if (content === undefined) return refuseParam(`${key} (${name})`, rule, param.lang);
    return { name, fileName: name, content };
  });
}

function fromBase64(value: JsonValue | undefined): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length % 4 !== 0) return undefined;
  return /^[A-Za-z0-9+/]*={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}

function fromByteList(value: JsonValue | undefined): Uint8Array | undefined {
  // A typed array crosses as an object with its indices as keys.
  const bytes = isJsonObject(value) ? Object.values(value) : value;
  if (!Array.isArray(bytes) || !bytes.every(isByte)) return undefined;
  return Uint8Array.from(bytes);
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** Fields of a form or query: nested values travel as their JSON text, null as an empty one. */
export function formFields(values: JsonObject): [string, string][] {
  return Object.entries(values)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .map(([name, value]) => [name, value === null ? '' : (asText(value) ?? JSON.stringify(value))]);
}

function noBodyText(key: string) {
  return {
    zh: `V8.Http：此方法没有请求体，${key} 不会发送；查询参数请用 GetParam。`,
    en: `V8.Http: this method has no body, so ${key} is not sent; use GetParam for the query.`,
  };
}
