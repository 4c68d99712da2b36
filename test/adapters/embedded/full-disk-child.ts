/**
 * A host whose disk fills up: the parent starts it with a file size limit. It publishes until that fails, tries to
 * acknowledge, reports, waits for a line on its input (the parent has lifted the limit), and reports what is left.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { createEmbeddedQueue } from '../../../src/adapters/embedded/embedded-queue.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { AppError } from '../../../src/core/errors.ts';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

const QUEUE = 'microi.t1.orders';
const file = join(process.argv[2] ?? '', 'host.db');
const queue = await createEmbeddedQueue({ file, log: SILENT_LOG, clock: systemClock('UTC') });

async function codeOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

function publish(bytes = 64 * 1024): Promise<string> {
  const body = Buffer.alloc(bytes, 'x');
  return codeOf(queue.publish('t1', [{ queue: QUEUE, body, props: { headers: {} } }]));
}

assert.equal(await publish(), 'ok');
const inbox = new DeliveryInbox();
const consumer = await queue.consume('t1', QUEUE, { prefetch: 1 }, inbox.take);
await inbox.until(1);

let confirmed = 1;
let failure = 'ok';
// The small ones take the room that the large ones left: an acknowledgement needs a page or two.
for (const bytes of [64 * 1024, 1, 1]) {
  for (failure = await publish(bytes); failure === 'ok' && confirmed < 5_000; failure = await publish(bytes))
    confirmed++;
}
const ack = await codeOf(inbox.at(0).ack());
process.stdout.write(`${JSON.stringify({ confirmed, failure, ack, status: queue.status() })}\n`);

await once(process.stdin, 'data');
await inbox.until(2);
await consumer.setPrefetch(10_000);
const stored = await queue.depth('t1', QUEUE);
await inbox.until(1 + stored.ready + stored.unsettled);
const again = await publish();
await inbox.until(2 + stored.ready + stored.unsettled);
process.stdout.write(`${JSON.stringify({ left: stored.ready + stored.unsettled, again, status: queue.status() })}\n`);
await queue.close();
process.exit(0);
