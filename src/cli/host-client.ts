import type { DosResult } from '../core/dos-result.ts';
import { AppError, type Lang } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { NoteProgress, Progress } from '../core/progress.ts';
import { EventReader, type OnEvent } from './event-stream.ts';

/** A host's answer: its text as it came, for `--json`, and read. */
export interface HostAnswer {
  readonly status: number;
  readonly text: string;
  readonly result: DosResult;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HostClient {
  /**
   * Asks the host. @param bodyJson JSON text, sent as it is. @param onProgress told how far long work is, where the
   * host says so; an earlier version does not.
   * @throws AppError HOST_UNREACHABLE when nothing answers there, or something that is not a host.
   */
  ask(method: Method, path: string, bodyJson?: string, onProgress?: NoteProgress): Promise<HostAnswer>;
  /**
   * Follows a stream of events until it ends. @returns false when the host has none at this path. A connection that
   * breaks is an end, too: who goes on asks again.
   */
  follow(path: string, onEvent: OnEvent): Promise<boolean>;
}

/**
 * A client of the admin API. @param address `token` is sent to this URL and nowhere else: redirects are not followed.
 * @param onRenewed is given a newer token of the same login, when the host sends one.
 */
export function createHostClient(
  address: { url: string; token: string | undefined },
  lang: Lang,
  onRenewed: (token: string) => void = () => {},
): HostClient {
  const headers = {
    lang,
    ...(address.token === undefined ? {} : { authorization: `Bearer ${address.token}` }),
  };
  return {
    async follow(path, onEvent) {
      try {
        const response = await fetch(new URL(path, address.url), { headers, redirect: 'manual' });
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
        if (!isStream || response.body === null) {
          await response.body?.cancel();
          return false;
        }
        const reader = new EventReader(onEvent);
        for await (const chunk of response.body) reader.take(chunk);
      } catch {
        // What is wrong is told by the next question.
      }
      return true;
    },
    async ask(method, path, bodyJson, onProgress) {
      const content = bodyJson === undefined ? {} : { body: bodyJson };
      const typed = {
        ...headers,
        ...(bodyJson === undefined ? {} : { 'content-type': 'application/json' }),
        ...(onProgress === undefined ? {} : { accept: 'text/event-stream, application/json' }),
      };
      try {
        const response = await fetch(new URL(path, address.url), {
          method,
          headers: typed,
          redirect: 'manual',
          ...content,
        });
        const renewed = /^Bearer (\S+)$/.exec(response.headers.get('authorization') ?? '')?.[1];
        const answer = await answerOf(response, onProgress);
        if (renewed !== undefined) onRenewed(renewed);
        return answer;
      } catch (thrown) {
        throw unreachable(address.url, thrown);
      }
    },
  };
}

/** The answer itself, or the last event of a stream that tells of progress before it. */
async function answerOf(response: Response, onProgress: NoteProgress | undefined): Promise<HostAnswer> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) return readAnswer(response.status, await response.text());
  let answer: HostAnswer | undefined;
  const reader = new EventReader((name, json) => {
    if (name === 'progress') onProgress?.(JSON.parse(json) as Progress);
    if (name !== 'answer') return;
    const { status, body } = JSON.parse(json) as { status: number; body: JsonValue };
    answer = readAnswer(status, JSON.stringify(body));
  });
  for await (const chunk of response.body) reader.take(chunk);
  if (answer === undefined) throw new Error('the connection ended before the answer');
  return answer;
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
