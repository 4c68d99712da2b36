/**
 * A host that is going to be killed. Arguments: adapter, place, queue, and `publish` (publishes without end, a line
 * for each confirmed EventId) or `hold` and a prefetch (takes deliveries and settles none, a line for each).
 */
import { QUEUE_OPENERS } from './queue-openers.ts';

const [adapter = '', place = '', name = '', mode = '', prefetch = '1'] = process.argv.slice(2);
const open = QUEUE_OPENERS[adapter];
if (open === undefined) throw new Error(`no queue adapter ${adapter}`);
const queue = await open(place);

async function publishOne(id: string): Promise<void> {
  const message = { queue: name, body: Buffer.from(id), props: { messageId: id, headers: {} } };
  await queue.publish('t1', [message]);
  process.stdout.write(`${id}\n`);
}

if (mode === 'publish') {
  for (let round = 0; ; round++) {
    await Promise.all([0, 1, 2, 3].map((lane) => publishOne(`m-${round}-${lane}`)));
  }
}
await queue.consume('t1', name, { prefetch: Number(prefetch) }, (delivery) => {
  process.stdout.write(`${Buffer.from(delivery.body).toString()}\n`);
});
setInterval(() => undefined, 60_000);
