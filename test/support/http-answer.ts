import type { HttpResponse } from '../../src/ports/http-client.ts';

/** A response with a text or bytes as its body. */
export function httpAnswer(body: string | Uint8Array, more: Partial<HttpResponse> = {}): HttpResponse {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { status: 200, headers: [], body: bytes, ...more };
}
