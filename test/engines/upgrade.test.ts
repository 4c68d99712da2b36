/** The version before this one and this one on one database and queue under load: an upgrade, and the way back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { unpackPreviousVersion } from '../support/previous-version.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { tempDir } from '../support/temp-dir.ts';
import { column, logged, prepareHosts, push, send, tablesJson, untilSettled } from './engine-hosts.ts';

const SCRIPTS = {
  'tables.json': tablesJson({ effect: ['EventId'], onward: ['EventId'] }),
  'work.js': `/**
 * @queue work
 * @prefetch 4
 */
var written = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (written.Code !== 1) return written;
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'onward.js': `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
};

/** Messages under way at once: enough for every host to have some, few enough for the end to come. */
const UNDER_WAY = 12;

/** Sends until it is stopped, through whichever host is its target. */
class Load {
  readonly ids: string[] = [];
  target: HostProcess;
  readonly #hosts: readonly HostProcess[];
  #isOn = true;
  readonly #done: Promise<void>;

  constructor(hosts: readonly [HostProcess, ...HostProcess[]]) {
    this.#hosts = hosts;
    this.target = hosts[0];
    this.#done = this.#run();
    this.#done.catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (this.#isOn) {
      // Each message is two deliveries.
      const done = this.#hosts.reduce((sum, host) => sum + settledBy(host), 0) / 2;
      if (this.ids.length - done < UNDER_WAY) {
        const id = `order-${this.ids.length}`;
        this.ids.push(id);
        await send(this.target, 'work', id);
      }
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#done;
  }
}

/** Deliveries that a host has settled. */
const settledBy = (host: HostProcess) => logged(host, 'delivery.settled').length;

/** Waits until a host has settled some more. */
const works = (host: HostProcess) => {
  const before = settledBy(host);
  return eventually(() => assert.ok(settledBy(host) >= before + 3, host.output.slice(-2_000)), 60_000);
};

test('hosts of the version before and of this one share database and queue; upgraded and put back under load, nothing is lost or doubled', async (t) => {
  const [database, vhost] = [await freshDatabase(), await freshVhost()];
  const previous = await unpackPreviousVersion(tempDir(t));
  const urls = { databaseUrl: database.url, queueUrl: vhost.url };
  const hosts = await prepareHosts(t, ['old', 'new'], urls, { sandbox: { lanes: 1 } });
  const [older, newer] = hosts as [HostProcess, HostProcess];
  older.programDir = previous.dir;
  await older.start();
  await push(older, SCRIPTS);
  const load = new Load([older, newer]);
  await works(older);

  // Upgrade: the new one changes the schema under the old one, works beside it, then alone.
  await newer.start();
  await Promise.all([works(older), works(newer)]);
  load.target = newer;
  assert.equal(await older.stop(), 0, older.output.slice(-2_000));
  await works(newer);

  // And back: the old one starts on the schema of the new one.
  await older.start();
  await Promise.all([works(older), works(newer)]);
  load.target = older;
  assert.equal(await newer.stop(), 0, newer.output.slice(-2_000));
  await works(older);
  await load.stop();
  await untilSettled(vhost, 60_000);

  const sent = [...load.ids].sort();
  assert.deepEqual(await column(database.url, 'select EventId from effect'), sent);
  assert.deepEqual(await column(database.url, 'select EventId from onward'), sent.map((id) => `on-${id}`).sort());
  assert.deepEqual(await column(database.url, "select EventId from mq_parked where State = 'dead'"), []);
  assert.deepEqual(await column(database.url, 'select Seq from mq_outbox'), []);
  for (const host of [older, newer]) assert.deepEqual(logged(host, 'delivery.failed_internally'), []);
});
