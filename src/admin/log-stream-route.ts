import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fail } from '../core/dos-result.ts';
import { AppError, coerceError, type Lang } from '../core/errors.ts';
import type { LogLine } from '../ports/journal.ts';
import { lineId } from './line-id.ts';
import { type RouteContext, readQuery, tenantOf } from './route-context.ts';
import { BEAT, serverEvent } from './server-event.ts';
import { type StreamSlot, StreamSlots } from './stream-slots.ts';

/** How streams keep time. Milliseconds. */
export interface StreamTimes {
  /** Between two looks for new lines. */
  readonly lookMs: number;
  /** Silence after which proxies and clients hear that the connection lives. */
  readonly beatMs: number;
  /** A client that takes nothing for so long is given up. */
  readonly stuckMs: number;
}

const STREAM_TIMES: StreamTimes = { lookMs: 500, beatMs: 15_000, stuckMs: 60_000 };

export const STREAM_QUERY = {
  after: lineId.optional(),
  engine: z.string().min(1).max(255).optional(),
  limit: z.coerce.number().int().min(0).max(1000).default(50),
};

/**
 * `GET tenants/{t}/logs/stream`: the tenant's log as it grows, as server-sent events. `Last-Event-ID` goes on where a
 * connection broke. It ends with the caller's login, with an event that says why.
 */
export function addLogStreamRoute(api: FastifyInstance, context: RouteContext, times = STREAM_TIMES): void {
  const { services, langOf } = context;
  const slots = new StreamSlots(times.stuckMs);
  api.addHook('preClose', async () => slots.endAll());
  // A HEAD would be answered by following the log for ever.
  const options = { exposeHeadRoute: false };
  api.get('/tenants/:tenant/logs/stream', options, async (request, reply): Promise<FastifyReply> => {
    const lang = langOf(request);
    const { engine, limit, after } = readQuery(request, STREAM_QUERY, lang);
    const tenant = tenantOf(request);
    const follower = services.followLogs(tenant, { title: engine, after: after ?? lastEventId(request), limit });
    // Before the answer begins: a tenant whose database is away is an error with its status.
    const first = await follower.look();
    const slot = slots.take(context.callerOf(request).by, request.raw);
    const look = async (): Promise<readonly LogLine[]> => {
      await context.recheck(request);
      return follower.look();
    };
    const events = logEvents({ tenant, first, look, slot, times, lang });
    // Some proxies keep answers back until they end.
    reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
    return reply.send(Readable.from(events));
  });
}

interface LogEvents {
  readonly tenant: string;
  readonly first: readonly LogLine[];
  /** @throws AppError why the stream ends. */
  readonly look: () => Promise<readonly LogLine[]>;
  readonly slot: StreamSlot;
  readonly times: StreamTimes;
  readonly lang: Lang;
}

/** One line is made when the one before it was taken: a client that reads slowly is read for slowly. */
async function* logEvents({ tenant, first, look, slot, times, lang }: LogEvents): AsyncGenerator<string> {
  const refusal = (thrown: unknown): string =>
    serverEvent('end', JSON.stringify(fail(coerceError(thrown).toRecord(), lang)));
  try {
    yield `: ${tenant}\n\n`;
    yield* linesOf(first, slot);
    for (let quietMs = 0; !slot.signal.aborted; quietMs += times.lookMs) {
      await sleep(times.lookMs, undefined, { signal: slot.signal }).catch(() => undefined);
      slot.noteTaken();
      if (slot.signal.aborted) break;
      const lines = await look();
      yield* linesOf(lines, slot);
      if (lines.length === 0 && quietMs >= times.beatMs) yield BEAT;
      if (lines.length > 0 || quietMs >= times.beatMs) quietMs = 0;
    }
    yield refusal(new AppError('DRAINING'));
  } catch (thrown) {
    yield refusal(thrown);
  } finally {
    slot.free();
  }
}

function* linesOf(lines: readonly LogLine[], slot: StreamSlot): Generator<string> {
  for (const line of lines) {
    yield lineEvent(line);
    slot.noteTaken();
  }
}

/** What a browser sends when it connects again. */
function lastEventId(request: FastifyRequest): string | undefined {
  const parsed = lineId.safeParse(request.headers['last-event-id']);
  return parsed.success ? parsed.data : undefined;
}

function lineEvent(line: { readonly id: string }): string {
  return `id: ${line.id}\n${serverEvent('log', JSON.stringify(line))}`;
}
