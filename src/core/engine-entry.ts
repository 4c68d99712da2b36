import { isEnabled } from './engine.ts';
import { isJsonObject } from './json.ts';
import { parseJson } from './json-text.ts';

/** How an engine answers over HTTP (v8-surface.md 8.1, `ResponseType`, `ResponseFile`). */
export type ResponseMode = 'auto' | 'html' | 'file';

/** Which roles may call an engine over HTTP. */
export type RoleRule =
  /** Whoever is logged in. */
  | { readonly kind: 'any' }
  /** Users with one of these roles: ids in the platform, role names of a token. */
  | { readonly kind: 'listed'; readonly ids: readonly string[] }
  /** `ApiRole` cannot be read, so it admits nobody but administrators. */
  | { readonly kind: 'malformed' };

/** What the row of an engine says about calls over HTTP. Calls by other engines do not ask. */
export interface EngineEntry {
  readonly allowAnonymous: boolean;
  readonly mode: ResponseMode;
  readonly roles: RoleRule;
  /** Writes calls of it into `sys_log`. */
  readonly logged: boolean;
}

/** An engine that only logged-in users may call and that answers by the kind of its result. */
export const PLAIN_ENTRY: EngineEntry = Object.freeze({
  allowAnonymous: false,
  mode: 'auto',
  roles: { kind: 'any' },
  logged: false,
} as const);

/** The columns of `sys_apiengine` about HTTP, as the database gave them. */
export interface EngineEntryRow {
  readonly AllowAnonymous?: unknown;
  readonly ResponseType?: unknown;
  readonly ResponseFile?: unknown;
  readonly ApiRole?: unknown;
  readonly EnableLog?: unknown;
}

/** Reads them. A missing flag is off; an unknown `ResponseType` is `auto`. */
export function readEngineEntry(row: EngineEntryRow): EngineEntry {
  return {
    allowAnonymous: flag(row.AllowAnonymous),
    mode: modeOf(row),
    roles: readRoles(row.ApiRole),
    logged: flag(row.EnableLog),
  };
}

function flag(value: unknown): boolean {
  return value !== null && value !== undefined && isEnabled(value);
}

function modeOf({ ResponseType, ResponseFile }: EngineEntryRow): ResponseMode {
  const type = String(ResponseType ?? '')
    .trim()
    .toLowerCase();
  if (type === 'file' || flag(ResponseFile)) return 'file';
  return type === 'html' ? 'html' : 'auto';
}

/** A JSON array of ids or of `{Id, Name}`; empty means whoever is logged in. */
function readRoles(value: unknown): RoleRule {
  const text = String(value ?? '').trim();
  if (text === '') return { kind: 'any' };
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) return { kind: 'malformed' };
  const ids = parsed.value.map((entry) => (isJsonObject(entry) ? entry.Id : entry));
  if (!ids.every((id) => (typeof id === 'string' && id !== '') || typeof id === 'number')) return { kind: 'malformed' };
  return ids.length === 0 ? { kind: 'any' } : { kind: 'listed', ids: ids.map(String) };
}
