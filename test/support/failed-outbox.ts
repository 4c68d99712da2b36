import { outside, tenantFile } from './outside.ts';

/** Leaves a message in the outbox of `demo` that its queue refused for good. */
export async function refuseSending(
  dataDir: string,
  seq: number,
  text: string,
  queue = 'microi.demo.b',
): Promise<void> {
  const columns = 'Seq, RunId, Ordinal, QueueName, EventId, Body, Props, ClaimUntil, Attempts, State, LastError';
  const sql = `insert into mq_outbox (${columns}) values (?, '01JD0000000000000000000000', 0, ?, ?, ?, ?, 0, 10, 'failed', 'no')`;
  const eventId = `refused-${seq}`;
  const body = JSON.stringify({ EventId: eventId, OsClient: 'demo', Message: { text } });
  const props = JSON.stringify({ messageId: eventId, headers: {} });
  await outside(dataDir, tenantFile('demo'), sql, seq, queue, eventId, new TextEncoder().encode(body), props);
}
