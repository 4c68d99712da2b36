import type { DosResult } from '../core/dos-result.ts';
import { AppError, type Lang } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';

/** A host's answer: its text as it came, for `--json`, and read. */
export interface HostAnswer {
  readonly status: number;
  readonly text: string;
  readonly result: DosResult;
}

export interface HostClient {
  /**
   * Asks the host. @param bodyJson JSON text, sent as it is.
   * @throws AppError HOST_UNREACHABLE when nothing answers there, or something that is not a host.
   */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, bodyJson?: string): Promise<HostAnswer>;
}

/** A client of the admin API. @param address `token` is sent to this URL and nowhere else: redirects are not followed. */
export function createHostClient(address: { url: string; token: string | undefined }, lang: Lang): HostClient {
  const headers = {
    lang,
    ...(address.token === undefined ? {} : { authorization: `Bearer ${address.token}` }),
  };
  return {
    async ask(method, path, bodyJson) {
      const content = bodyJson === undefined ? {} : { body: bodyJson };
      const typed = bodyJson === undefined ? headers : { ...headers, 'content-type': 'application/json' };
      try {
        const response = await fetch(new URL(path, address.url), {
          method,
          headers: typed,
          redirect: 'manual',
          ...content,
        });
        return readAnswer(response.status, await response.text());
      } catch (thrown) {
        throw unreachable(address.url, thrown);
      }
    },
  };
}

function readAnswer(status: number, text: string): HostAnswer {
  const value: JsonValue = JSON.parse(text);
  if (!isJsonObject(value) || !Object.hasOwn(value, 'Code')) throw new Error(`HTTP ${status}, no DosResult`);
  return { status, text, result: value as unknown as DosResult };
}

function unreachable(url: string, thrown: unknown): AppError {
  return new AppError('HOST_UNREACHABLE', { url, reason: reasonOf(thrown) }, { cause: thrown });
}

/** `fetch` hides what happened in its cause. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'no JSON';
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  if (!(cause instanceof Error)) return thrown.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
