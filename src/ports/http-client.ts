/** Outbound HTTP for scripts. Targets are checked by the adapter after name resolution. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly { name: string; value: string }[];
  readonly body: string;
}

export interface HttpClient {
  /** @throws AppError HTTP_TARGET_DENIED, HTTP_FAILED (no response, too large, timed out). */
  send(request: HttpRequest): Promise<HttpResponse>;
}
