import { parseEngineKey } from './engine.ts';

/** What a path of the HTTP entry asks for (v8-surface.md 8.3). */
export type EntryTarget =
  /** An engine by its key or, where that is undefined or no engine's, by its address. */
  | { readonly kind: 'engine'; readonly key: string | undefined; readonly address: string }
  /** `/api/ApiEngine/Run`: the parameters name the engine. */
  | { readonly kind: 'run' }
  /** A FormEngine method, with the table where the path names it. */
  | { readonly kind: 'form'; readonly method: FormMethod; readonly table: string | undefined }
  /** A FormEngine method for callers who are not logged in. */
  | { readonly kind: 'form-anonymous' };

export interface EntryPath {
  readonly target: EntryTarget;
  /** Tenant of the suffix `--OsClient--{tenant}--`, unchecked. */
  readonly tenant: string | undefined;
}

/** FormEngine methods that have an HTTP twin, by their names in lower case. */
const FORM_METHODS = [
  'GetFormData',
  'GetTableData',
  'GetTableDataCount',
  'GetTableDataTree',
  'AddFormData',
  'UptFormData',
  'UptFormDataByWhere',
  'DelFormData',
  'DelFormDataByWhere',
  'AddTableData',
  'UptTableData',
  'DelTableData',
  'SaveBatch',
] as const;
export type FormMethod = (typeof FORM_METHODS)[number];

/** Methods that have a short address with the table in it. */
const SHORT_METHODS: readonly FormMethod[] = [
  'GetFormData',
  'GetTableData',
  'AddFormData',
  'UptFormData',
  'DelFormData',
];

const BY_NAME: ReadonlyMap<string, FormMethod> = new Map(FORM_METHODS.map((name) => [name.toLowerCase(), name]));

const TENANT_SUFFIX = /--osclient--(.*?)--\/?$/i;
const FORM_PREFIX = '/api/formengine/';

/**
 * Reads the path of a request, decoded and without its query. Letters of either case are the same, as on the platform.
 * Undefined for a path that cannot be decoded.
 */
export function readEntryPath(rawPath: string): EntryPath | undefined {
  const decoded = decode(rawPath);
  if (decoded === undefined) return undefined;
  const tenant = TENANT_SUFFIX.exec(decoded)?.[1];
  const path = decoded.replace(TENANT_SUFFIX, '').replace(/\/+$/, '');
  return { target: targetOf(path), tenant };
}

function targetOf(path: string): EntryTarget {
  const lower = path.toLowerCase();
  if (lower === '/api/apiengine/run') return { kind: 'run' };
  if (lower.startsWith(FORM_PREFIX)) {
    const form = formTarget(path.slice(FORM_PREFIX.length));
    if (form !== undefined) return form;
  }
  const key = /^\/apiengine\/([^/]+)$/i.exec(path)?.[1];
  return { kind: 'engine', key: key !== undefined && parseEngineKey(key).ok ? key : undefined, address: path };
}

/** @param rest of the path behind `/api/formengine/`. Undefined for one that is no twin: it may be an address. */
function formTarget(rest: string): EntryTarget | undefined {
  const lower = rest.toLowerCase();
  const method = BY_NAME.get(lower);
  if (method !== undefined) return { kind: 'form', method, table: undefined };
  const base = lower.endsWith('anonymous') ? lower.slice(0, -'anonymous'.length).replace(/-$/, '') : undefined;
  if (base !== undefined && BY_NAME.has(base)) return { kind: 'form-anonymous' };
  for (const name of SHORT_METHODS) {
    const table = new RegExp(`^${name.slice(0, 3)}-?${name.slice(3)}-([^/]+)$`, 'i').exec(rest)?.[1];
    if (table !== undefined) return { kind: 'form', method: name, table };
  }
  return undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // A stray % is a path that nobody has.
  }
}

/** True for methods that only look. */
export function isReading(method: FormMethod): boolean {
  return method.startsWith('Get');
}
