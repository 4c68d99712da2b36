import { COMMON } from '../text/common.ts';
import { language } from '../text/text.ts';

/** What the host said instead of what was asked for. `message` is its sentence, in the language shown. */
export class ApiFailure extends Error {
  /** HTTP status; 0 when the host did not answer. */
  readonly status: number;
  /** ReasonCode, the same in both languages; empty when there is none. */
  readonly code: string;
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data: unknown = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** A DosResult as the API gives it. */
export interface Answer<T> {
  readonly Code: number;
  readonly Data: T;
  readonly Msg?: string;
  readonly ReasonCode?: string;
  readonly DataAppend?: Readonly<Record<string, unknown>>;
  readonly TimeZone?: string;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Call {
  readonly query?: Query;
  readonly body?: unknown;
  /** The body as text that is JSON already: numbers beyond 2^53-1 go as they were written. */
  readonly json?: string;
}

/** Headers that prove who calls. A login of a person is in a cookie that no script sees; its changes need `csrf`. */
export type Proof = { readonly token: string } | { readonly csrf: string };

let proof: Proof | undefined;
let onUnauthorized = (): void => {};

/** Sets what proves who calls. @param refused is told when the host does not take it any more. */
export function useProof(value: Proof | undefined, refused: () => void): void {
  proof = value;
  onUnauthorized = refused;
}

function proofHeaders(): Record<string, string> {
  if (proof === undefined) return {};
  return 'token' in proof ? { authorization: `Bearer ${proof.token}` } : { 'x-csrf-token': proof.csrf };
}

/**
 * Calls the admin API.
 * @param path below `/api/v1/`; make it with `tenantPath`.
 * @throws ApiFailure for every answer that is not a success.
 */
export async function call<T>(method: string, path: string, { query, body, json }: Call = {}): Promise<Answer<T>> {
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`api/v1/${path}${queryText(query)}`, {
    method,
    headers: {
      lang: language.value,
      ...proofHeaders(),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  }).catch(() => {
    throw new ApiFailure(0, '', COMMON[language.value].unreachable);
  });
  const answer = await readAnswer<T>(response);
  if (response.status === 401) onUnauthorized();
  if (response.ok) return answer;
  throw new ApiFailure(response.status, answer.ReasonCode ?? '', answer.Msg ?? response.statusText, answer.Data);
}

/** Opens an answer that goes on. @throws ApiFailure when the host refuses it or does not answer. */
export async function openStream(path: string, query: Query, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const headers = { lang: language.value, ...proofHeaders() };
  const response = await fetch(`api/v1/${path}${queryText(query)}`, { headers, signal }).catch(() => {
    throw new ApiFailure(0, '', COMMON[language.value].unreachable);
  });
  if (response.ok && response.body !== null) return response.body;
  const answer = await readAnswer<unknown>(response);
  if (response.status === 401) onUnauthorized();
  throw new ApiFailure(response.status, answer.ReasonCode ?? '', answer.Msg ?? response.statusText, answer.Data);
}

/** A path of one tenant, each part encoded. */
export function tenantPath(tenant: string, ...parts: readonly string[]): string {
  return ['tenants', tenant, ...parts].map(encodeURIComponent).join('/');
}

async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  return response.json().catch(() => {
    throw new ApiFailure(response.status, '', `HTTP ${response.status}`);
  });
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
