import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createAdminServer } from '../../src/admin/server.ts';
import type { Log } from '../../src/ports/log.ts';
import { FakeServices } from '../admin/fake-services.ts';
import { NO_IDENTITY } from '../admin/no-identity.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { FUZZ_TOKEN, HTTP_CORPUS } from './http-corpus.ts';
import { Dice } from './mutate.ts';
import { mutateHttp } from './mutate-http.ts';

export interface HttpFuzzResult {
  readonly requests: number;
  /** Answers by status; 0 stands for a connection that the peer of a broken request was closed on without one. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Errors of the host, and answers that are none. */
  readonly failures: readonly string[];
}

const AT_ONCE = 8;
/** A server that says nothing for so long has lost the request. */
const PATIENCE_MS = 30_000;

/**
 * Sends mutated requests over real connections to the API and the entry of engines, whose use cases are the fakes of
 * their tests: what is tried is the way from the bytes to the call and back.
 */
export async function fuzzHttp({ requests, seed }: { requests: number; seed: number }): Promise<HttpFuzzResult> {
  const failures: string[] = [];
  const services = new FakeServices();
  const server = createAdminServer({
    services,
    identity: NO_IDENTITY,
    token: FUZZ_TOKEN,
    lang: 'zh',
    timezone: 'UTC',
    log: failureLog(failures),
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const note = (error: unknown): void => void failures.push(String((error as Error)?.stack ?? error));
  process.on('uncaughtException', note).on('unhandledRejection', note);
  const statuses = new Map<number, number>();
  const dice = new Dice(seed);
  let sent = 0;
  const attack = async (): Promise<void> => {
    while (sent < requests) {
      sent++;
      const bytes = mutateHttp(dice.pick(HTTP_CORPUS), dice, HTTP_CORPUS);
      const answer = await ask(port, bytes);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1'))?.[1] ?? 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fault = faultOf(answer, bytes);
      if (fault !== undefined) failures.push(`${fault}\n${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`);
      services.calls.length = 0;
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
    // It is as good as new: each right request has the answer that it had before.
    for (const request of HTTP_CORPUS) {
      const fault = faultOf(await ask(port, request), request);
      if (fault !== undefined) failures.push(`after it all: ${fault}`);
    }
  } finally {
    await server.close();
    process.off('uncaughtException', note).off('unhandledRejection', note);
  }
  return { requests: sent, statuses, failures };
}

/**
 * Sends bytes, says that nothing follows and reads to the end. Node ends a connection with its peer, and an answer that
 * was still being read from a file with it: a whole request is then asked again by a client that waits.
 */
async function ask(port: number, bytes: Buffer): Promise<Buffer> {
  const answer = await exchange(port, bytes, true);
  return answer.byteLength === 0 && isRequest(bytes) ? exchange(port, bytes, false) : answer;
}

async function exchange(port: number, bytes: Buffer, thatIsAll: boolean): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const parts: Buffer[] = [];
  // A host that refuses early closes while the rest of the request is still on its way.
  socket.on('error', () => {}).on('data', (part: Buffer) => parts.push(part));
  socket.setTimeout(PATIENCE_MS, () => {
    parts.push(Buffer.from('SILENCE'));
    socket.destroy();
  });
  socket.on('end', () => socket.destroy());
  if (thatIsAll) socket.end(bytes);
  else socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(parts);
}

/** What is wrong with an answer; undefined for a right one. */
function faultOf(answer: Buffer, request: Buffer): string | undefined {
  const text = answer.toString('utf8');
  if (text === '') return isRequest(request) ? 'no answer' : undefined;
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (end < 0 || Number.isNaN(status)) return `no HTTP: ${text.slice(0, 200)}`;
  if (status === 100) return faultOf(Buffer.from(text.slice(end + 4)), request);
  if (status >= 500 && status !== 503) return `status ${status}: ${text.slice(end, end + 300)}`;
  const isHead = /^HEAD /i.test(request.toString('latin1'));
  if (isHead || status === 204 || status === 302 || status === 304 || !/content-type: application\/json/i.test(head)) {
    return status >= 400 && !isHead ? `status ${status} without JSON` : undefined;
  }
  // Several requests in one connection have several answers: the first one is looked at.
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  return resultFault(
    Buffer.from(text.slice(end + 4))
      .subarray(0, length)
      .toString('utf8'),
  );
}

function resultFault(body: string): string | undefined {
  try {
    const result = JSON.parse(body) as { Code?: unknown; openapi?: unknown };
    if (typeof result.Code === 'number' || result.openapi !== undefined) return undefined;
  } catch {
    // Told below.
  }
  return `no DosResult: ${body.slice(0, 200)}`;
}

/**
 * A first line, the end of the headers, and a body of the length that they announce: that much deserves an answer. For
 * the rest of a shorter body a server waits, and a client that says that nothing follows has gone.
 */
function isRequest(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  const head = /^[A-Z]+ \/\S* HTTP\/1\.1\r\n[\s\S]*?\r\n\r\n/.exec(text)?.[0];
  if (head === undefined) return false;
  const announced = Math.max(
    0,
    ...[...head.matchAll(/^content-length: *(\d+)/gim)].map(([, length]) => Number(length)),
  );
  return text.length - head.length >= announced;
}

/** A refusal is told as information; an error is a fault of ours. */
function failureLog(failures: string[]): Log {
  const log: Log = {
    ...SILENT_LOG,
    child: () => log,
    error: (event, fields) => void failures.push(`${event} ${fields?.err?.stack ?? ''} ${fields?.err?.cause ?? ''}`),
  };
  return log;
}
