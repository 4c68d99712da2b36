import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEmbeddedQueue, type EmbeddedQueue } from '../../../src/adapters/embedded/embedded-queue.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { AppError } from '../../../src/core/errors.ts';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

const QUEUE = 'microi.t1.orders';

describe('embedded queue', () => {
  let folder: string;
  let file: string;
  let queue: EmbeddedQueue | undefined;

  const open = async (): Promise<EmbeddedQueue> => {
    queue = await createEmbeddedQueue({ file, log: SILENT_LOG, clock: systemClock('UTC') });
    return queue;
  };
  const message = (text: string) => ({ queue: QUEUE, body: Buffer.from(text), props: { headers: {} } });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'v8host-embedded-'));
    file = join(folder, 'host.db');
  });
  afterEach(async () => {
    await queue?.close();
    queue = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  it('makes the folder of its file', async () => {
    file = join(folder, 'deep', 'er', 'host.db');
    await open();
    assert.equal((await readFile(file)).subarray(0, 6).toString(), 'SQLite');
  });

  it('keeps its file and the side files from other users of the machine', async () => {
    const host = await open();
    await host.publish('t1', [message('a')]);
    const modes = [file, `${file}-wal`].map((path) => (statSync(path).mode & 0o777).toString(8));
    assert.deepEqual(modes, ['600', '600']);
  });

  it('gives a requeued message back with the mark it had before', async () => {
    const host = await open();
    await host.publish('t1', [message('a')]);
    const inbox = new DeliveryInbox();
    await host.consume('t1', QUEUE, { prefetch: 1 }, inbox.take);
    await inbox.until(1);
    await inbox.at(0).requeue();
    await inbox.until(2);
    assert.equal(inbox.at(1).redelivered, false);
    await host.close();

    const next = await open();
    const after = new DeliveryInbox();
    await next.consume('t1', QUEUE, { prefetch: 1 }, after.take);
    await after.until(1);
    assert.equal(after.at(0).redelivered, true);
    await after.at(0).requeue();
    await after.until(2);
    assert.equal(after.at(1).redelivered, true);
  });

  it('gives competing consumers their turn one after another', async () => {
    const host = await open();
    const inboxes = [new DeliveryInbox(), new DeliveryInbox(), new DeliveryInbox()];
    for (const inbox of inboxes) await host.consume('t1', QUEUE, { prefetch: 10 }, inbox.take);
    await host.publish('t1', ['a', 'b', 'c', 'd', 'e', 'f'].map(message));
    await Promise.all(inboxes.map((inbox) => inbox.until(2)));
    assert.deepEqual(
      inboxes.map((inbox) => inbox.texts()),
      [
        ['a', 'd'],
        ['b', 'e'],
        ['c', 'f'],
      ],
    );
  });

  it('counts settlements that came too late', async () => {
    const host = await open();
    await host.publish('t1', [message('a'), message('b')]);
    const inbox = new DeliveryInbox();
    const consumer = await host.consume('t1', QUEUE, { prefetch: 2 }, inbox.take);
    await inbox.until(2);
    await inbox.at(0).ack();
    await inbox.at(0).ack();
    await consumer.close();
    await inbox.at(1).requeue();
    assert.deepEqual(host.status(), { staleSettlements: 2, owedSettlements: 0, available: true });
  });

  it('gives back what a handler of the same turn cancelled, unmarked', async () => {
    const host = await open();
    await host.publish('t1', [message('a'), message('b')]);
    const first = new DeliveryInbox();
    const consumer = await host.consume('t1', QUEUE, { prefetch: 2 }, (delivery) => {
      first.take(delivery);
      void consumer.cancel();
    });
    await first.until(1);
    const second = new DeliveryInbox();
    await host.consume('t1', QUEUE, { prefetch: 2 }, second.take);
    await second.until(1);
    assert.deepEqual(first.texts(), ['a']);
    assert.deepEqual(second.texts(), ['b']);
    assert.equal(second.at(0).redelivered, false);
  });

  it('hands out the rest of a turn when one handler throws', async () => {
    const host = await open();
    const inbox = new DeliveryInbox();
    await host.consume('t1', QUEUE, { prefetch: 5 }, (delivery) => {
      if (Buffer.from(delivery.body).toString() === 'bad') throw new Error('against the contract');
      inbox.take(delivery);
    });
    await host.publish('t1', [message('bad'), message('good')]);
    await inbox.until(1);
    assert.deepEqual(inbox.texts(), ['good']);
    assert.deepEqual(await host.depth('t1', QUEUE), { ready: 0, unsettled: 2 });
  });

  it('hands out from a short queue at once while another holds 100,000 messages', async () => {
    const host = await open();
    fillQueue(file, 'microi.t1.backlog', 100_000);
    await host.publish(
      't1',
      Array.from({ length: 1_000 }, (_, index) => message(`m${index}`)),
    );
    const inbox = new DeliveryInbox();
    await host.consume('t1', QUEUE, { prefetch: 1 }, (delivery) => {
      inbox.take(delivery);
      void delivery.ack();
    });
    const started = Date.now();
    await inbox.until(1_000);
    // A scan of the backlog for each message takes more than a minute.
    assert.ok(Date.now() - started < 10_000);
  });

  it('names the file and the reason when it is no database', async () => {
    await writeFile(file, 'this is a text file and no database at all, long enough to be read as a header of one');
    await assert.rejects(open(), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'QUEUE_STORE_UNUSABLE');
      assert.match(error.message, /host\.db cannot be opened: file is not a database/);
      return true;
    });
  });

  it('refuses the file of a newer program', async () => {
    await (await open()).close();
    const database = new DatabaseSync(file);
    database.exec('UPDATE queue_schema SET Version = 99');
    database.close();
    await assert.rejects(open(), (error: unknown) => error instanceof AppError && error.code === 'SCHEMA_NEWER');
  });

  it('rejects publications on a full disk, loses no confirmed message and goes on when there is room', async () => {
    const child = spawn('sh', ['-c', `ulimit -S -f 4096; exec "$0" "$1" "$2"`, process.execPath, CHILD, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    try {
      const [full] = (await once(lines, 'line')) as [string];
      const before = JSON.parse(full) as { confirmed: number };
      assert.deepEqual(before, {
        confirmed: before.confirmed,
        failure: 'QUEUE_UNAVAILABLE',
        ack: 'QUEUE_UNAVAILABLE',
        status: { staleSettlements: 0, owedSettlements: 1, available: false },
      });

      execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
      child.stdin.write('go\n');
      const [end] = (await once(lines, 'line')) as [string];
      assert.deepEqual(JSON.parse(end), {
        left: before.confirmed - 1,
        again: 'ok',
        status: { staleSettlements: 0, owedSettlements: 0, available: true },
      });
    } finally {
      child.kill('SIGKILL');
    }
  });
});

const CHILD = fileURLToPath(new URL('./full-disk-child.ts', import.meta.url));

function fillQueue(file: string, queue: string, count: number): void {
  const database = new DatabaseSync(file);
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO queue_message (QueueName, Headers, EnqueuedAt, Body) SELECT ?, '{}', 0, x'00' FROM n`,
    )
    .run(count, queue);
  database.close();
}
