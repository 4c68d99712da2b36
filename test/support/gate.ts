import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/ports/http-client.ts';
import { httpAnswer } from './http-answer.ts';
import { intercept } from './intercept.ts';

const OK = httpAnswer('{}');

/** A place inside a run where it stops until the test lets it go on: the run's outbound request. */
export class Gate {
  /** Requests that came so far, by URL. */
  readonly arrivals: string[] = [];
  #open: () => void = () => {};
  #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  #onArrival: () => void = () => {};

  /** The adapters, outbound requests stopping here and answered with 200. */
  guard(adapters: Adapters): Adapters {
    return { ...adapters, http: intercept(adapters.http, 'send', (_, request) => this.#pass(request)) };
  }

  /** Resolves when `count` requests have come. */
  async arrived(count = 1): Promise<void> {
    while (this.arrivals.length < count) {
      await new Promise<void>((resolve) => {
        this.#onArrival = resolve;
      });
    }
  }

  /** Lets everything pass from now on. */
  open(): void {
    this.#open();
  }

  async #pass(request: HttpRequest): Promise<HttpResponse> {
    this.arrivals.push(request.url);
    this.#onArrival();
    const ended = new Promise<never>((_, reject) => {
      const fail = () => reject(new AppError('HTTP_FAILED', { target: 'gate', reason: 'the run ended' }));
      request.signal.addEventListener('abort', fail, { once: true });
    });
    await Promise.race([this.#opened, ended]);
    return OK;
  }
}

/** The line of a script that stops at the gate. */
export const STOP_AT_GATE = "V8.Http.PostResponse({ Url: 'http://gate.test/', PostParam: {}, Timeout: 60 });";
