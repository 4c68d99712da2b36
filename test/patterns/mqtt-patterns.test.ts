/** Scripts as people write them for devices (patterns 1 to 3): a real broker, and both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ACCOUNT, MqttHost } from '../support/mqtt-host.ts';
import { DATABASES, run, scriptFiles, tableOf } from './pattern-host.ts';

const TABLES = [
  tableOf(
    'device',
    ['DeviceCode', 'SeenAt', 'ReadingId'],
    ['IsOnline', 'Degrees'],
    [{ Id: 'd1', DeviceCode: 'dev-1' }],
  ),
  tableOf('device_alarm', ['DeviceCode'], ['Level']),
  {
    Name: 'reading',
    Fields: [
      { Name: 'EventId', Type: 'varchar(100)', Unique: true },
      { Name: 'Degrees', Type: 'int' },
    ],
  },
];

interface Archived {
  readonly Topic: string;
  readonly Value: unknown;
}

const LIMIT = { timeout: 120_000 };

for (const [name, urlOf] of DATABASES) {
  /** A host whose devices are served by this script, and a publisher that is told each verdict. */
  const open = async (t: TestContext, engine: string) => {
    const databaseUrl = await urlOf();
    const options = databaseUrl === undefined ? {} : { databaseUrl };
    const mqtt = await MqttHost.start(t, { ...options, mqtt: { engine } });
    await mqtt.host.push(scriptFiles(engine, 'device-alarm'), TABLES);
    const raw = await mqtt.raw();
    await raw.connect(5, { clientId: 'dev-1', username: ACCOUNT.username, password: Buffer.from(ACCOUNT.password) });
    let messageId = 0;
    const publish = async (payload: unknown, topic = 'data') => {
      messageId += 1;
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      raw.send({ cmd: 'publish', topic, payload: text, qos: 1, retain: false, dup: false, messageId }, 5);
      const { reasonCode, properties } = await raw.packet('puback', 60_000);
      const isAccepted = reasonCode === undefined || reasonCode < 0x80;
      return isAccepted ? 'accepted' : [reasonCode, properties?.reasonString];
    };
    return { host: mqtt.host, publish };
  };

  describe(`patterns of devices on ${name}`, () => {
    it('one engine for all events: no result allows, an alarm engine may block', LIMIT, async (t) => {
      const { host, publish } = await open(t, 'mqtt-all-events');
      assert.equal(await publish({ Degrees: 20 }, 'hall/1'), 'accepted');
      assert.equal(await publish(JSON.stringify('{"n":1}'), 'hall/2'), 'accepted');
      assert.equal(await publish({ Alarm: 2 }, 'hall/3'), 'accepted');
      assert.deepEqual(await publish({ Alarm: 9 }, 'hall/4'), [0x99, 'alarm level 9 is reserved']);
      const archive = `return V8.MongoDb.GetTableData({ DbName: 'iot', TableName: 'archive_' + DateNow('yyyy_MM') });`;
      await host.push({ 'archive.js': archive }, []);
      const archived = (await run(host, 'archive')).Data.map(({ Topic, Value }: Archived) => [Topic, Value]).sort();
      assert.deepEqual(archived.slice(0, 3), [
        ['hall/1', { Degrees: 20 }],
        ['hall/2', { n: 1 }],
        ['hall/3', { Alarm: 2 }],
      ]);
      assert.deepEqual(
        (await host.rows('device_alarm')).map(({ DeviceCode, Level }) => [DeviceCode, Level]),
        [['dev-1', 2]],
      );
    });

    it(
      'telemetry: a reading out of range is blocked, an unknown device is not, a failed alarm undoes all',
      LIMIT,
      async (t) => {
        const { host, publish } = await open(t, 'mqtt-telemetry');
        assert.equal(await publish({ Degrees: 21 }), 'accepted');
        assert.deepEqual(await publish({ Degrees: 900 }), [0x99, 'Degrees: -60 to 200']);
        assert.deepEqual(await publish('no json'), [0x99, 'Degrees: -60 to 200']);
        assert.equal(await publish({ Degrees: 90 }), 'accepted');
        assert.deepEqual(await publish({ Degrees: 160 }), [0x99, 'alarm level 9 is reserved']);
        const [device] = await host.rows('device');
        assert.deepEqual([device?.Degrees, String(device?.ReadingId).length], [90, 26]);
        assert.deepEqual(
          (await host.rows('device_alarm')).map(({ Level }) => Level),
          [1],
        );
        await host.store.tables.update({ table: 'device', where: [], includeDeleted: true }, { DeviceCode: 'another' });
        assert.equal(await publish({ Degrees: 30 }), 'accepted', 'Code 1 with DataCount 0 is Code 1');
      },
    );

    it('by the device’s own EventId a reading counts once, and an exception blocks', LIMIT, async (t) => {
      const { host, publish } = await open(t, 'mqtt-once');
      for (const _ of ['first', 'again']) assert.equal(await publish({ EventId: 'e-1', Degrees: 5 }), 'accepted');
      assert.deepEqual(await publish({ Degrees: 5 }), [0x80, 'SCRIPT_THREW']);
      assert.deepEqual(
        (await host.rows('reading')).map(({ EventId }) => EventId),
        ['e-1'],
      );
      await eventually(async () => {
        await host.store.journal.flush();
        const lines = (await host.rows('sys_log')).filter(({ Type }) => Type === 'reading');
        assert.deepEqual(
          lines.map(({ Title, Content }) => [Title, Content]),
          [['e-1', '5']],
        );
      });
    });
  });
}
