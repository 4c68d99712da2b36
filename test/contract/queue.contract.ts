/** What every queue adapter promises (ports/queue.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../src/core/errors.ts';
import type { OutgoingMessage, Queue } from '../../src/ports/queue.ts';
import { DeliveryInbox } from './delivery-inbox.ts';
import { QUEUE_OPENERS } from './queue-openers.ts';

const TENANT = 't1';
const CHILD = fileURLToPath(new URL('./queue-child.ts', import.meta.url));
/** Long enough for a wrong delivery to show, where a test says that none comes. */
const QUIET_MS = 40;

export interface QueuePlace {
  /** What the opener of this adapter takes: a folder, a URL. */
  readonly place: string;
  dispose(): Promise<void>;
}

/** Where adapters may differ. */
export interface QueueTraits {
  /** A requeued message comes before those that wait; else behind them. */
  readonly requeuesToHead: boolean;
}

/**
 * @param adapter name in QUEUE_OPENERS.
 * @param makePlace a fresh, empty place for one test.
 */
export function queueContract(
  adapter: string,
  makePlace: () => Promise<QueuePlace>,
  traits: QueueTraits = { requeuesToHead: true },
): void {
  describe(`queue contract: ${adapter}`, () => {
    let place: QueuePlace;
    let queue: Queue;
    let name: string;

    const open = (): Promise<Queue> => {
      const opener = QUEUE_OPENERS[adapter];
      if (opener === undefined) throw new Error(`no queue adapter ${adapter}`);
      return opener(place.place);
    };
    const reopen = async (): Promise<void> => {
      await queue.close();
      queue = await open();
    };
    const publish = (...texts: string[]): Promise<void> =>
      queue.publish(
        TENANT,
        texts.map((text) => message(name, text)),
      );
    const consume = async (prefetch: number, from = name) => {
      const inbox = new DeliveryInbox();
      return { inbox, consumer: await queue.consume(TENANT, from, { prefetch }, inbox.take) };
    };

    beforeEach(async () => {
      place = await makePlace();
      queue = await open();
      name = `microi.${TENANT}.orders`;
    });
    afterEach(async () => {
      await queue.close();
      await place.dispose();
    });

    it('delivers messages in the order they were published', async () => {
      await publish('a', 'b');
      await publish('c');
      const { inbox } = await consume(10);
      await inbox.until(3);
      assert.deepEqual(inbox.texts(), ['a', 'b', 'c']);
      assert.deepEqual(
        inbox.all.map((delivery) => delivery.redelivered),
        [false, false, false],
      );
    });

    it('keeps the order of publications made at the same moment', async () => {
      const texts = Array.from({ length: 50 }, (_, index) => `m${index}`);
      await Promise.all(texts.map((text) => publish(text)));
      const { inbox } = await consume(100);
      await inbox.until(50);
      assert.deepEqual(inbox.texts(), texts);
    });

    it('delivers to a consumer that was there before the message', async () => {
      const { inbox } = await consume(1);
      await publish('late');
      await inbox.until(1);
      assert.deepEqual(inbox.texts(), ['late']);
    });

    it('keeps confirmed messages over a restart and forgets acknowledged ones', async () => {
      await publish('a', 'b');
      const { inbox } = await consume(1);
      await inbox.until(1);
      await inbox.at(0).ack();
      await reopen();
      const after = await consume(10);
      await after.inbox.until(1);
      await delay(QUIET_MS);
      assert.deepEqual(after.inbox.texts(), ['b']);
    });

    it('hands out no more than the prefetch before something is settled', async () => {
      await publish('a', 'b', 'c', 'd');
      const { inbox } = await consume(2);
      await inbox.until(2);
      await delay(QUIET_MS);
      assert.equal(inbox.all.length, 2);
      await inbox.at(0).ack();
      await inbox.until(3);
      assert.deepEqual(inbox.texts(), ['a', 'b', 'c']);
    });

    it('hands out more after the prefetch was raised', async () => {
      await publish('a', 'b', 'c');
      const { inbox, consumer } = await consume(1);
      await inbox.until(1);
      await consumer.setPrefetch(3);
      await inbox.until(3);
      assert.deepEqual(inbox.texts(), ['a', 'b', 'c']);
    });

    it('hands out nothing new after the prefetch was lowered until enough is settled', async () => {
      await publish('a', 'b', 'c', 'd');
      const { inbox, consumer } = await consume(3);
      await inbox.until(3);
      await consumer.setPrefetch(1);
      await inbox.at(0).ack();
      await inbox.at(1).ack();
      await delay(QUIET_MS);
      assert.equal(inbox.all.length, 3);
      await inbox.at(2).ack();
      await inbox.until(4);
    });

    it(`puts a requeued message back to the ${traits.requeuesToHead ? 'head' : 'end'}`, async () => {
      await publish('a', 'b');
      const { inbox } = await consume(1);
      await inbox.until(1);
      await inbox.at(0).requeue();
      await inbox.until(2);
      await inbox.at(1).ack();
      await inbox.until(3);
      assert.deepEqual(inbox.texts(), traits.requeuesToHead ? ['a', 'a', 'b'] : ['a', 'b', 'a']);
    });

    it('shares a queue between its consumers', async () => {
      const first = await consume(2);
      const second = await consume(2);
      await publish('a', 'b', 'c', 'd');
      await Promise.all([first.inbox.until(2), second.inbox.until(2)]);
      assert.deepEqual([...first.inbox.texts(), ...second.inbox.texts()].sort(), ['a', 'b', 'c', 'd']);
    });

    it('stops deliveries on cancel and still settles what it handed out', async () => {
      await publish('a', 'b');
      const { inbox, consumer } = await consume(1);
      await inbox.until(1);
      await consumer.cancel();
      await inbox.at(0).ack();
      await delay(QUIET_MS);
      assert.deepEqual(inbox.texts(), ['a']);
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 1, unsettled: 0 });
    });

    it('gives unsettled messages back on close, marked as redelivered', async () => {
      await publish('a', 'b', 'c');
      const first = await consume(2);
      await first.inbox.until(2);
      await first.consumer.close();
      const second = await consume(10);
      await second.inbox.until(3);
      assert.deepEqual(second.inbox.texts(), ['a', 'b', 'c']);
      assert.deepEqual(
        second.inbox.all.map((delivery) => delivery.redelivered),
        [true, true, false],
      );
    });

    it('drops a settlement that comes after its consumer was closed', async () => {
      await publish('a');
      const first = await consume(1);
      await first.inbox.until(1);
      await first.consumer.close();
      await first.inbox.at(0).ack();
      const second = await consume(1);
      await second.inbox.until(1);
      await first.inbox.at(0).ack();
      await first.inbox.at(0).requeue();
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 0, unsettled: 1 });
    });

    it('lets only the first settlement of a delivery count', async () => {
      await publish('a', 'b');
      const { inbox } = await consume(1);
      await inbox.until(1);
      await inbox.at(0).ack();
      await inbox.at(0).requeue();
      await inbox.at(0).ack();
      await inbox.until(2);
      await inbox.at(1).ack();
      await delay(QUIET_MS);
      assert.deepEqual(inbox.texts(), ['a', 'b']);
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 0, unsettled: 0 });
    });

    it('does not let an old settlement reach a newer delivery of the same message', async () => {
      await publish('a');
      const { inbox } = await consume(1);
      await inbox.until(1);
      await inbox.at(0).requeue();
      await inbox.until(2);
      await inbox.at(0).ack();
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 0, unsettled: 1 });
    });

    it('returns bodies byte for byte', async () => {
      const body = Uint8Array.from({ length: 256 }, (_, index) => index);
      await queue.publish(TENANT, [
        { queue: name, body, props: { headers: {} } },
        { queue: name, body: new Uint8Array(0), props: { headers: {} } },
      ]);
      const { inbox } = await consume(2);
      await inbox.until(2);
      assert.deepEqual(Buffer.from(inbox.at(0).body), Buffer.from(body));
      assert.equal(inbox.at(1).body.byteLength, 0);
    });

    it('returns a body of 5 MB', async () => {
      const body = Buffer.alloc(5_000_000, 'v8-');
      await queue.publish(TENANT, [{ queue: name, body, props: { headers: {} } }]);
      const { inbox } = await consume(1);
      await inbox.until(1);
      assert.equal(Buffer.compare(Buffer.from(inbox.at(0).body), body), 0);
    });

    it('returns the properties, and no message id where there was none', async () => {
      const headers = { traceparent: '00-1-2-01', 'x-v8-attempt': '3', 名称: '订单' };
      await queue.publish(TENANT, [
        { queue: name, body: Buffer.from('a'), props: { messageId: '订单-1', headers } },
        { queue: name, body: Buffer.from('b'), props: { headers: {} } },
      ]);
      const { inbox } = await consume(2);
      await inbox.until(2);
      assert.deepEqual({ ...inbox.at(0).props }, { messageId: '订单-1', headers });
      assert.equal(inbox.at(1).props.messageId, undefined);
    });

    it('keeps many queues apart', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `microi.${TENANT}.q${index}`);
      await queue.publish(
        TENANT,
        names.flatMap((each) => [message(each, `${each}:1`), message(each, `${each}:2`)]),
      );
      const inboxes = await Promise.all(names.map((each) => consume(2, each)));
      await Promise.all(inboxes.map(({ inbox }) => inbox.until(2)));
      for (const [index, { inbox }] of inboxes.entries()) {
        assert.deepEqual(inbox.texts(), [`${names[index]}:1`, `${names[index]}:2`]);
      }
    });

    it('counts ready and unsettled messages', async () => {
      await publish('a', 'b', 'c');
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 3, unsettled: 0 });
      const { inbox } = await consume(2);
      await inbox.until(2);
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 1, unsettled: 2 });
      await inbox.at(0).ack();
      await inbox.until(3);
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 0, unsettled: 2 });
    });

    it('refuses everything after close and closes twice without harm', async () => {
      await queue.close();
      await queue.close();
      const unavailable = (error: unknown) => error instanceof AppError && error.code === 'QUEUE_UNAVAILABLE';
      await assert.rejects(publish('a'), unavailable);
      await assert.rejects(consume(1), unavailable);
    });

    it('stores what was published just before close', async () => {
      const published = publish('a');
      await reopen();
      await published;
      assert.deepEqual(await queue.depth(TENANT, name), { ready: 1, unsettled: 0 });
    });

    it('has every confirmed message after the publisher was killed', async () => {
      await queue.close();
      const confirmed = await killAfterLines([adapter, place.place, name, 'publish'], 60);
      queue = await open();
      const { ready } = await queue.depth(TENANT, name);
      const { inbox } = await consume(ready);
      await inbox.until(ready);
      const stored = new Set(inbox.texts());
      assert.ok(confirmed.length >= 60);
      assert.deepEqual(
        confirmed.filter((id) => !stored.has(id)),
        [],
      );
    });

    it('marks exactly the messages that a killed host had been handed', async () => {
      await publish('a', 'b', 'c', 'd', 'e');
      await queue.close();
      const held = await killAfterLines([adapter, place.place, name, 'hold', '3'], 3);
      queue = await open();
      const { inbox } = await consume(10);
      await inbox.until(5);
      assert.deepEqual(held, ['a', 'b', 'c']);
      assert.deepEqual(inbox.texts(), ['a', 'b', 'c', 'd', 'e']);
      assert.deepEqual(
        inbox.all.map((delivery) => delivery.redelivered),
        [true, true, true, false, false],
      );
    });
  });
}

function message(queue: string, text: string): OutgoingMessage {
  return { queue, body: Buffer.from(text), props: { messageId: text, headers: {} } };
}

/** Runs the child, kills it with SIGKILL once it has printed `count` lines, and returns all it printed. */
async function killAfterLines(args: readonly string[], count: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    lines.push(line);
    if (lines.length === count) child.kill('SIGKILL');
  });
  await Promise.all([once(child, 'exit'), once(output, 'close')]);
  assert.equal(child.signalCode, 'SIGKILL');
  return lines;
}
