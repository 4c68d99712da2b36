import type { JsonObject, JsonValue } from './json.ts';

/** Where the parameters of a request stood. */
export interface EntrySources {
  /** Of the JSON or XML body. */
  readonly body: JsonObject;
  readonly query: Readonly<Record<string, string>>;
  /** Fields of an urlencoded or multipart body. */
  readonly form: Readonly<Record<string, string>>;
  /** Parts of the path that a route of the engine names. */
  readonly path?: Readonly<Record<string, string>>;
  /** A JSON body that is a list; FormEngine's batches take one. */
  readonly rows?: readonly JsonValue[];
}

/** What the host says about a request, whatever the request says about itself. */
export interface EntryFacts {
  readonly tenant: string;
  readonly engineKey: string;
  readonly address: string;
  /** `V8.CurrentUser` of whoever is logged in. */
  readonly currentUser: JsonObject | undefined;
  /** Header `did`. */
  readonly deviceId: string | undefined;
}

/** Longest `_DeviceId` (v8-surface.md 5.3). Characters. */
const DEVICE_ID_LENGTH = 256;

/** Parameters that no request may set: identity and trust are the host's to give (v8-surface.md 8.5). */
const RESERVED: ReadonlySet<string> = new Set([
  'OsClient',
  'ApiEngineKey',
  'ApiAddress',
  '_CurrentUser',
  '_InvokeType',
  '_DeviceId',
  '_TrustedServerInvocation',
  '_FilesByteBase64',
]);

/** A parameter that the host itself reads, wherever it stood and in any case; query before form before body. */
export function entryValue(sources: EntrySources, name: string): JsonValue | undefined {
  const wanted = name.toLowerCase();
  for (const source of [sources.query, sources.form, sources.body]) {
    const key = Object.keys(source).find((candidate) => candidate.toLowerCase() === wanted);
    if (key !== undefined) return source[key];
  }
  return undefined;
}

/** `V8.Param` of a call over HTTP. */
export function entryParam(sources: EntrySources, facts: EntryFacts): JsonObject {
  return {
    ...ownParams(sources),
    OsClient: facts.tenant,
    ApiEngineKey: facts.engineKey,
    ApiAddress: facts.address,
    _InvokeType: 'Client',
    ...(facts.currentUser === undefined ? {} : { _CurrentUser: facts.currentUser }),
    ...(facts.deviceId === undefined ? {} : { _DeviceId: facts.deviceId.slice(0, DEVICE_ID_LENGTH) }),
  };
}

/** What the request itself says, without what only the host may say. */
export function ownParams(sources: EntrySources): JsonObject {
  const all = { ...sources.body, ...sources.form, ...sources.query, ...sources.path };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !RESERVED.has(name)));
}
