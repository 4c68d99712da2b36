import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DosResult } from '../core/dos-result.ts';
import { NOT_WATCHED, type NoteProgress, type Progress } from '../core/progress.ts';
import type { Answer } from './error-answer.ts';
import type { RouteContext } from './route-context.ts';
import { BEAT, serverEvent } from './server-event.ts';

/** Silence after which proxies and clients hear that the connection lives. Milliseconds. */
const BEAT_MS = 15_000;

/**
 * Answers a request for long work. Whoever accepts `text/event-stream` is told how far it is, by events `progress`, and
 * gets the answer with its status as the event `answer`; everybody else gets the answer alone. The work goes on when its
 * caller leaves.
 */
export async function answerLongWork(
  request: FastifyRequest,
  reply: FastifyReply,
  { failureOf }: Pick<RouteContext, 'failureOf'>,
  work: (note: NoteProgress) => Promise<Answer>,
): Promise<DosResult | FastifyReply> {
  if (!wantsEvents(request)) {
    const { status, body } = await work(NOT_WATCHED);
    reply.code(status);
    return body;
  }
  // Some proxies keep answers back until they end.
  reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
  const watch = new Watch();
  const answer = work((progress) => watch.note(progress)).catch((thrown: unknown) => failureOf(thrown, request));
  return reply.send(Readable.from(watch.events(answer)));
}

function wantsEvents({ headers }: FastifyRequest): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/.test(headers.accept ?? '');
}

/** Hands on the latest progress: a reader that is slower than the work misses steps, never the answer. */
class Watch {
  #latest: Progress | undefined;
  #wake: () => void = () => {};

  note(progress: Progress): void {
    this.#latest = progress;
    this.#wake();
  }

  async *events(work: Promise<Answer>): AsyncGenerator<string> {
    let answer: Answer | undefined;
    void work.then((given) => {
      answer = given;
      this.#wake();
    });
    for (;;) {
      const latest = this.#latest;
      this.#latest = undefined;
      if (latest !== undefined) yield serverEvent('progress', JSON.stringify(latest));
      else if (answer !== undefined) return yield serverEvent('answer', JSON.stringify(answer));
      else if (!(await this.#isWoken())) yield BEAT;
    }
  }

  /** @returns false when nothing happened for long. */
  #isWoken(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), BEAT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
