import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineRunner, RunSlot } from '../../src/ports/engine-runner.ts';
import { ACCOUNT, MqttHost } from '../support/mqtt-host.ts';

const LIMIT = { timeout: 120_000 };
const DEVICES = 12;
const MESSAGES = 15;

const GATE = `
if (V8.EventName !== 'MessageReceived') return { Code: 1 };
var p = V8.MQTT.Payload;
if (p.ask === 'block') return { Code: 0, Msg: 'not ' + p.n };
if (p.ask === 'throw') throw new Error('broken');
if (p.ask === 'store') return V8.FormEngine.AddFormData('effect', { EventId: V8.MQTT.ClientId + ' ' + p.n });
if (p.ask === 'store-and-block') { V8.FormEngine.AddFormData('effect', { EventId: 'never' }); return { Code: 0, Msg: 'undone' }; }
return { Code: 1 };
`;

/** The real lanes, which note how many runs they get at once. */
function noting(runner: EngineRunner, sizes: number[]): EngineRunner {
  const watched = (slot: RunSlot): RunSlot => ({
    run: (start, calls) => slot.run(start, calls),
    runAll: (runs) => {
      sizes.push(runs.length);
      return slot.runAll(runs);
    },
    release: () => slot.release(),
  });
  return {
    acquire: async (tenant, request) => watched(await runner.acquire(tenant, request)),
    compile: (tenant, key, source) => runner.compile(tenant, key, source),
    status: () => runner.status(),
    load: () => runner.load(),
    close: () => runner.close(),
  };
}

/** What a device asks for with its n-th message, and the answer. */
function wish(n: number): readonly [ask: string, code: number, reason: string | undefined] {
  if (n === 10) return ['store', 0, undefined];
  if (n === 11) return ['store-and-block', 0x99, 'undone'];
  if (n % 5 === 3) return ['block', 0x99, `not ${n}`];
  if (n % 5 === 4) return ['throw', 0x80, 'SCRIPT_THREW'];
  return ['', 0, undefined];
}

test('gates of many devices share a lane, and each has its own verdict and transaction', LIMIT, async (t) => {
  const sizes: number[] = [];
  const host = await MqttHost.start(t, {
    lanes: 1,
    mqtt: { engine: 'gate' },
    decorate: (adapters) => ({ ...adapters, runner: noting(adapters.runner, sizes) }),
  });
  await host.host.push({ 'gate.js': GATE });
  const answers = Array.from({ length: DEVICES }, async (_, device) => {
    const raw = await host.raw();
    const password = Buffer.from(ACCOUNT.password);
    await raw.connect(5, { clientId: `d${device}`, username: ACCOUNT.username, password });
    for (let n = 1; n < MESSAGES; n++) {
      const [ask, code, reason] = wish(n);
      const payload = JSON.stringify({ ask, n });
      raw.send({ cmd: 'publish', topic: 'x', payload, qos: 1, retain: false, dup: false, messageId: n }, 5);
      const { messageId, reasonCode, properties } = await raw.packet('puback', 60_000);
      // Nobody has subscribed to it.
      assert.deepEqual(
        [messageId, reasonCode === 0x10 ? 0 : (reasonCode ?? 0), properties?.reasonString],
        [n, code, reason],
      );
    }
  });
  await Promise.all(answers);
  const effects = await host.host.effects('effect');
  assert.deepEqual([...effects].sort(), Array.from({ length: DEVICES }, (_, device) => `d${device} 10`).sort());
  assert.ok(Math.max(...sizes) > 2, `at most ${Math.max(...sizes)} shared a lane`);
});
