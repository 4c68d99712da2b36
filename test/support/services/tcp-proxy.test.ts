import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** A service that answers every chunk with itself in capitals, and a proxy before it. */
async function echo(t: TestContext): Promise<{ proxy: TcpProxy; url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received.push(chunk.toString());
      socket.write(chunk.toString().toUpperCase());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const url = `echo://user:p%40ss@localhost:${(server.address() as AddressInfo).port}/x`;
  const proxy = await TcpProxy.open(url);
  t.after(() => proxy[Symbol.asyncDispose]());
  return { proxy, url, received };
}

async function dial(proxy: TcpProxy): Promise<Socket> {
  const socket = createConnection(proxy.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function exchange(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  return String((await once(socket, 'data'))[0]);
}

/** Resolves when it is closed, by whatever. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
}

test('bytes pass both ways, and the URL leads to the proxy', async (t) => {
  const { proxy, url } = await echo(t);
  assert.equal(proxy.url(url), `echo://user:p%40ss@127.0.0.1:${proxy.port}/x`);
  assert.equal(proxy.url('redis://localhost:6379'), `redis://127.0.0.1:${proxy.port}`);
  const socket = await dial(proxy);
  assert.equal(await exchange(socket, 'hello'), 'HELLO');
  assert.equal(proxy.open, 1);
  socket.end();
  await once(socket, 'close');
  await eventually(() => assert.equal(proxy.open, 0));
});

test('more than the buffers hold passes whole', async (t) => {
  const { proxy } = await echo(t);
  const socket = await dial(proxy);
  const size = 20_000_000;
  socket.write('x'.repeat(size));
  let got = 0;
  for await (const chunk of socket) {
    got += (chunk as Buffer).length;
    if (got >= size) break;
  }
  assert.equal(got, size);
});

test('a cut resets the connections there are and takes new ones', async (t) => {
  const { proxy } = await echo(t);
  const socket = await dial(proxy);
  assert.equal(await exchange(socket, 'a'), 'A');
  proxy.cut();
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
  const again = await dial(proxy);
  assert.equal(await exchange(again, 'b'), 'B');
  again.destroy();
});

test('refusing lasts until it listens again, on the same port', async (t) => {
  const { proxy } = await echo(t);
  await proxy.refuse();
  await assert.rejects(dial(proxy), { code: 'ECONNREFUSED' });
  await proxy.listen();
  const socket = await dial(proxy);
  assert.equal(await exchange(socket, 'a'), 'A');
  socket.destroy();
});

test('held replies come at the resume: the service has done what the client does not know', async (t) => {
  const { proxy, received } = await echo(t);
  const socket = await dial(proxy);
  proxy.pause('replies');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.write('commit');
  await eventually(() => assert.deepEqual(received, ['commit']));
  await sleep(50);
  assert.deepEqual([received, answer], [['commit'], '']);
  proxy.resume();
  await eventually(() => assert.equal(answer, 'COMMIT'));
  socket.destroy();
});

test('held requests do not reach the service, and a cut loses them', async (t) => {
  const { proxy, received } = await echo(t);
  const socket = await dial(proxy);
  const isClosed = closed(socket);
  assert.equal(await exchange(socket, 'a'), 'A');
  proxy.pause('requests');
  socket.write('lost');
  await sleep(50);
  proxy.cut();
  await isClosed;
  proxy.resume();
  await sleep(50);
  assert.deepEqual(received, ['a']);
});

test('a slow way delays and keeps the order', async (t) => {
  const { proxy } = await echo(t);
  const socket = await dial(proxy);
  proxy.slow(100);
  const start = Date.now();
  assert.equal(await exchange(socket, 'a'), 'A');
  assert.ok(Date.now() - start >= 195, 'there and back');
  proxy.slow(0);
  assert.equal(await exchange(socket, 'b'), 'B');
  socket.destroy();
});

test('a service that is down closes the client', async (t) => {
  const { url } = await echo(t);
  await using dead = await TcpProxy.open(url);
  await dead.refuse();
  await using before = await TcpProxy.open(`echo://127.0.0.1:${dead.port}`);
  await closed(createConnection(before.port, '127.0.0.1'));
  assert.equal(before.open, 0);
});
