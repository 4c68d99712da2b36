/** Outbound HTTP for scripts. Targets are checked by the adapter after name resolution. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export interface HttpRequest {
  /** Whose targets are open and whose credentials have names. */
  readonly tenant: string;
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** Name of a credential that the operator gave to the tenant; its secret is known to the adapter alone. */
  readonly credential: string | undefined;
  /** From the first connection to the last byte of the body, redirects included. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly { name: string; value: string }[];
  /** Without its Content-Encoding. */
  readonly body: Uint8Array;
}

export interface HttpClient {
  /**
   * @throws AppError HTTP_TARGET_DENIED, HTTP_CREDENTIAL_UNKNOWN, HTTP_CREDENTIAL_DENIED, HTTP_FAILED (no response, too
   * large, timed out, damaged).
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}
