import assert from 'node:assert/strict';
import { createServer, Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import mqttPacket, { type Packet } from 'mqtt-packet';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import { received, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

async function takenPort(t: TestContext): Promise<number> {
  const server: Server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

for (const kind of ['mqtt', 'mqtts', 'ws', 'wss'] as const) {
  test(`${kind}: a port that is taken is a listener that cannot be opened`, LIMIT, async (t) => {
    const port = await takenPort(t);
    const error = await TestBroker.start(t, { listener: { kind, port, setting: 'mqtt.some' } }).catch((e) => e);
    assert.equal(error.code, 'MQTT_LISTEN_FAILED');
    assert.deepEqual(error.params, { address: `127.0.0.1:${port}`, reason: 'EADDRINUSE', setting: 'mqtt.some' });
  });
}

test('ws: the next port is tried where that is asked for', LIMIT, async (t) => {
  const port = await takenPort(t);
  const broker = await TestBroker.start(t, { listener: { kind: 'ws', port, portsTried: 20 } });
  assert.ok(broker.port > port);
  const client = await broker.client({ url: `ws://127.0.0.1:${broker.port}/mqtt`, clientId: 'ws' });
  const messages = received(client);
  await client.subscribeAsync('x');
  await client.publishAsync('x', 'm', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m']));
});

test('ws: a request for anything but a WebSocket is told so and ended', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { listener: { kind: 'ws' } });
  const web = await broker.raw();
  let answer = '';
  web.socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  web.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually(() => assert.ok(web.closed));
  assert.match(answer, /^HTTP\/1\.1 426 /);
  assert.match(answer, /^upgrade: websocket\r$/im);
});

test('ws: a request that does not get on is cut off', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { listener: { kind: 'ws', handshakeMs: 500 } });
  const silent = await broker.raw();
  const slow = await broker.raw();
  slow.socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
  for (const { socket } of [silent, slow]) socket.resume();
  await eventually(() => assert.deepEqual([silent.closed, slow.closed], [true, true]));
});

test('ws: a client that vanishes is noticed', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { listener: { kind: 'ws' } });
  const socket = new WebSocket(`ws://127.0.0.1:${broker.port}/mqtt`, ['mqtt']);
  t.after(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const hello = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'a', clean: true, keepalive: 0 };
  socket.send(mqttPacket.generate(hello as Packet));
  await new Promise((resolve) => socket.once('message', resolve));
  assert.equal(broker.broker.connectionCount(), 1);
  socket.terminate();
  await eventually(() => assert.equal(broker.broker.connectionCount(), 0));
});

for (const kind of ['mqtt', 'ws'] as const) {
  test(`${kind}: a failure of the listening socket later on ends nothing`, LIMIT, async (t) => {
    const broker = await TestBroker.start(t, { listener: { kind } });
    // Without descriptors left a server reports its failed accepts like this, which no test should provoke for real.
    const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    listeningServer(broker.port).emit('error', error);
    const url = `${kind}://127.0.0.1:${broker.port}`;
    const client = await broker.client({ url, clientId: 'after' });
    await client.publishAsync('x', 'm', { qos: 1 });
  });
}

function listeningServer(port: number): Server {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  const isOurs = (handle: unknown): handle is Server => {
    const address = handle instanceof Server ? handle.address() : null;
    return typeof address === 'object' && address?.port === port;
  };
  const server = handles.find(isOurs);
  assert.ok(server !== undefined);
  return server;
}
