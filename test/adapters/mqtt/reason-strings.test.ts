/** Reason strings tell whoever reads the log of a version-5 device why it was refused or cut off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASON_TEXT } from '../../../src/adapters/mqtt/reason-codes.ts';
import type { ConnectReason } from '../../../src/ports/broker.ts';
import { OpenRules, type RawClient, TestBroker } from '../../support/mqtt-broker.ts';

/** Refuses by the name of the client. */
class Refusing extends OpenRules {
  override async connect(request: Parameters<OpenRules['connect']>[0]): ReturnType<OpenRules['connect']> {
    const [, reason] = /^refuse:(.*)$/.exec(request.clientId) ?? [];
    return reason === undefined ? super.connect(request) : { ok: false, reason: reason as ConnectReason };
  }
}

const five = (clientId: string, properties = {}) =>
  ({ cmd: 'connect', clientId, protocolVersion: 5, clean: true, keepalive: 0, properties }) as const;

async function disconnected(client: RawClient): Promise<readonly [number | undefined, string | undefined]> {
  const { reasonCode, properties } = await client.packet('disconnect');
  return [reasonCode, properties?.reasonString];
}

for (const [reason, code] of [
  ['client-id', 0x85],
  ['not-authorized', 0x87],
  ['bad-credentials', 0x86],
  ['banned', 0x8a],
  ['quota', 0x97],
  ['unavailable', 0x88],
  ['topic-invalid', 0x90],
  ['busy', 0x89],
] as const) {
  test(`a CONNECT that is refused as ${reason}`, async (t) => {
    const broker = await TestBroker.start(t, { rules: new Refusing() });
    const answer = async (properties = {}) => {
      const client = (await broker.raw()).listen(5);
      client.send(five(`refuse:${reason}`, properties), 5);
      return client.packet('connack');
    };
    const { reasonCode, properties } = await answer();
    assert.deepEqual([reasonCode, properties?.reasonString], [code, REASON_TEXT[code]]);
    assert.match(properties?.reasonString ?? '', /^[a-z][ -~]{5,80}$/);
    const short = await answer({ maximumPacketSize: 20 });
    assert.deepEqual([short.reasonCode, short.properties?.reasonString], [code, undefined]);
  });
}

test('a connection that is ended: taken over, silent, too large, out of order, and the server stops', async (t) => {
  const broker = await TestBroker.start(t, { limits: { packetBytes: 1_000 } });
  const open = async (clientId: string, more = {}) => (await broker.raw()).connect(5, { clientId, ...more });
  const first = await open('same');
  await open('same');
  assert.deepEqual(await disconnected(first), [0x8e, 'another connection has the same client id']);
  assert.deepEqual(await disconnected(await open('silent', { keepalive: 1 })), [0x8d, 'keep-alive timeout']);
  const large = await open('large');
  const publish = { cmd: 'publish', topic: 'x', qos: 0, retain: false, dup: false } as const;
  large.send({ ...publish, payload: Buffer.alloc(2_000) }, 5);
  assert.deepEqual(await disconnected(large), [0x95, 'packet too large']);
  const again = await open('again');
  again.send(five('again'), 5);
  assert.deepEqual(await disconnected(again), [0x82, 'protocol error']);
  const last = await open('last');
  const short = await open('short', { properties: { maximumPacketSize: 20 } });
  await broker.stop();
  assert.deepEqual(await disconnected(last), [0x8b, 'the server is shutting down']);
  assert.deepEqual(await disconnected(short), [0x8b, undefined]);
});

test('a SUBSCRIBE and an UNSUBSCRIBE say which filter was refused and why', async (t) => {
  const broker = await TestBroker.start(t, { limits: { subscriptions: 2 } });
  const client = await (await broker.raw()).connect(5, { clientId: 'asking' });
  const ask = async (filters: readonly string[], to: RawClient = client) => {
    const subscriptions = filters.map((topic) => ({ topic, qos: 0 as const }));
    to.send({ cmd: 'subscribe', messageId: 1, subscriptions }, 5);
    const { granted, properties } = await to.packet('suback');
    return [granted, properties?.reasonString];
  };
  const leave = async (filters: readonly string[]) => {
    client.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [...filters] }, 5);
    const { granted, properties } = await client.packet('unsuback');
    return [granted, properties?.reasonString];
  };
  const quota = 'more subscriptions than a client, or its tenant, may have';
  assert.deepEqual(await ask(['a', 'b']), [[0, 0], undefined]);
  assert.deepEqual(await ask(['a', 'c']), [[0, 0x97], `filter 2: ${quota}`]);
  assert.deepEqual(await ask(['c', 'd', 'e']), [[0x97, 0x97, 0x97], `filter 1: ${quota}`]);
  assert.deepEqual(await leave(['a', 'b']), [[0, 0], undefined]);
  assert.deepEqual(await leave(['a']), [[0x11], 'filter 1: there was no subscription to it']);
  for (const properties of [{ requestProblemInformation: false }, { maximumPacketSize: 20 }]) {
    const quiet = await (await broker.raw()).connect(5, { clientId: 'quiet', properties });
    assert.deepEqual(await ask(['a', 'b', 'c'], quiet), [[0x97, 0x97, 0x97], undefined]);
  }
});
