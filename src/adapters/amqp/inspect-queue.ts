import type { ChannelModel, Options } from 'amqplib';
import type { QueueInspection } from '../../core/preflight.ts';
import { countReady, differenceOf } from './declare-queue.ts';

/** A queue with more arguments than this is told as far as it was read. */
const MAX_ARGUMENTS = 16;

/**
 * Reads what a queue was declared with. AMQP has no question for that; it tells one difference at a time to whoever
 * declares the queue otherwise, so it is declared with what is known so far until nothing differs. Nothing is made:
 * the queue is there. @throws the driver's error.
 */
export async function inspectQueue(model: ChannelModel, queue: string): Promise<QueueInspection> {
  const version = String(model.connection.serverProperties.version);
  if ((await countReady(model, queue)) === undefined) return { version };
  let durable = true;
  const known: Record<string, string | number | boolean> = {};
  for (let count = 0; count < MAX_ARGUMENTS; count += 1) {
    const options: Options.AssertQueue = { durable, arguments: known };
    const difference = await differenceOf(model, queue, options);
    const learned = difference === undefined ? undefined : readDifference(difference);
    if (learned === undefined || Object.hasOwn(known, learned.name)) break;
    if (learned.name !== 'durable') known[learned.name] = learned.value;
    else if (durable) durable = learned.value !== 'false';
    else break;
  }
  return { version, queue: { durable, arguments: known } };
}

/** The broker's words: `inequivalent arg 'x-…' for queue …: received … but current is the value '5' of type 'long'`. */
function readDifference(text: string): { name: string; value: string | number | boolean } | undefined {
  const name = /inequivalent arg '([^']+)'/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const [, value, type] = /but current is the value '(.*)' of type '(\w+)'/.exec(text) ?? [];
  if (value === undefined) {
    const plain = /but current is '(.*)'/.exec(text)?.[1];
    return plain === undefined ? undefined : { name, value: plain };
  }
  if (type === 'bool') return { name, value: value === 'true' };
  return { name, value: type === 'longstr' || type === 'shortstr' ? value : Number(value) };
}
