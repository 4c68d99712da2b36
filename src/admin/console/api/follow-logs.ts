import type { LogLine } from '../../../ports/journal.ts';
import { ApiFailure, openStream, type Query, tenantPath } from './client.ts';

/** What is told while a tenant's log is followed. */
export interface LogFollower {
  onLine(line: LogLine): void;
  /** True while the host is heard; false while it is called again. */
  onConnected(isConnected: boolean): void;
}

/** Between two calls of a host that went away. Milliseconds. */
const RETRY_MS = 2000;

/**
 * Follows the tenant's log until `signal` ends it. A connection that breaks goes on after the last line. Read by fetch
 * and not by EventSource, which sends neither the token nor the language.
 * @throws ApiFailure when the host refuses, or ends it and says why.
 */
export async function followLogs(tenant: string, engine: string, to: LogFollower, signal: AbortSignal): Promise<void> {
  let last = '';
  const onLine = (line: LogLine): void => {
    last = line.id;
    to.onLine(line);
  };
  while (!signal.aborted) {
    const query: Query = { engine, after: last, limit: 100 };
    try {
      const stream = await openStream(tenantPath(tenant, 'logs', 'stream'), query, signal);
      to.onConnected(true);
      await readEvents(stream, onLine);
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiFailure && thrown.status !== 0) throw thrown;
    }
    to.onConnected(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** @throws ApiFailure for the event by which the host ends it; what fetch throws when it breaks. */
async function readEvents(stream: ReadableStream<Uint8Array>, onLine: (line: LogLine) => void): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readEvent(block, onLine);
  }
}

function readEvent(block: string, onLine: (line: LogLine) => void): void {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (data === undefined) return;
  const value = JSON.parse(data);
  if (!/^event: end$/m.test(block)) onLine(value);
  // A host that stops comes again, and with it the log.
  else if (value.ReasonCode !== 'DRAINING') throw new ApiFailure(403, value.ReasonCode ?? '', value.Msg ?? '');
}
