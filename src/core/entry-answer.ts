import type { ResponseMode } from './engine-entry.ts';
import { type ErrorRecord, refuse } from './errors.ts';
import { checkFile } from './file-type.ts';
import { type ControlledResponse, controlledResponse } from './http-response.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { isSafeRedirect } from './safe-redirect.ts';

/** What a caller over HTTP gets of an engine's result (v8-surface.md 5.5). */
export type EntryAnswer =
  | { readonly kind: 'text'; readonly html: boolean; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'file'; readonly file: AnswerFile }
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'response'; readonly response: ControlledResponse }
  /** The result asks for something that is not done: ENTRY_FILE_INVALID, ENTRY_REDIRECT_UNSAFE, ENTRY_RESPONSE_INVALID. */
  | { readonly kind: 'refused'; readonly error: ErrorRecord };

export interface AnswerFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly inline: boolean;
}

/** How the request came and how its engine answers. */
export interface AnswerContext {
  readonly mode: ResponseMode;
  /** The request's body was JSON: programs do not follow a redirect that a script meant for a browser. */
  readonly jsonRequest: boolean;
}

/** Decides what of a result goes out and how. */
export function entryAnswer(result: JsonValue, { mode, jsonRequest }: AnswerContext): EntryAnswer {
  if (typeof result === 'string') return { kind: 'text', html: mode === 'html', text: result };
  if (!isJsonObject(result)) return { kind: 'json', value: result };
  const response = controlledResponse(result);
  if (response?.ok === false) return { kind: 'refused', error: response.error };
  if (response !== undefined) return { kind: 'response', response: response.value };
  const { RedirectUrl } = result;
  if (typeof RedirectUrl === 'string' && RedirectUrl !== '' && !jsonRequest) return redirectTo(RedirectUrl);
  return (mode === 'file' ? fileAnswer(result) : undefined) ?? { kind: 'json', value: result };
}

function redirectTo(url: string): EntryAnswer {
  if (isSafeRedirect(url)) return { kind: 'redirect', url };
  return { kind: 'refused', error: refuse('ENTRY_REDIRECT_UNSAFE').error };
}

/** Undefined where the result has not the shape of a file: then it is JSON. */
function fileAnswer(result: JsonObject): EntryAnswer | undefined {
  const { Code, Data } = result;
  if ((Code !== 1 && Code !== '1') || !isJsonObject(Data)) return undefined;
  const { FileName, ContentType, FileByteBase64 } = Data;
  if (typeof FileName !== 'string' || typeof ContentType !== 'string' || typeof FileByteBase64 !== 'string') {
    return undefined;
  }
  const bytes = fromBase64(FileByteBase64);
  if (!/^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/.test(ContentType) || bytes === undefined) return badFile(FileName);
  const file = checkFile(ContentType, bytes);
  return file === undefined ? badFile(FileName) : { kind: 'file', file: { name: FileName, ...file } };
}

function badFile(name: string): EntryAnswer {
  return { kind: 'refused', error: refuse('ENTRY_FILE_INVALID', { file: name.slice(0, 200) }).error };
}

/** Plain Base64, or a data URL as editors save pictures. Undefined for anything else. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/^data:[^,]*;base64,/i, '')), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined; // Not Base64: the answer says so.
  }
}

/** `Content-Disposition` of a file, its name also in UTF-8 (RFC 6266). */
export function dispositionOf({ name, inline }: Pick<AnswerFile, 'name' | 'inline'>): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\/]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
