/** Servers that misbehave: every request ends with a reason, within its deadline, and leaves nothing open. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type ClosableHttpClient, createHttpClient } from '../../../src/adapters/http/http-client.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../src/ports/http-client.ts';
import { eventually } from '../../support/eventually.ts';
import { RawServer } from '../../support/raw-server.ts';

const MAX_BODY = 100_000;

let server: RawServer;
let client: ClosableHttpClient;

before(async () => {
  server = await RawServer.start();
  client = createHttpClient({ allow: [{ host: '127.0.0.1', port: server.port }], maxBodyBytes: MAX_BODY });
});
after(async () => {
  await client.close();
  await server.close();
});
afterEach(() => {
  server.answer = (socket) => socket.end();
});

function send(extra: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  return client.send({
    tenant: 'acme',
    method: 'GET',
    url: `http://127.0.0.1:${server.port}/`,
    headers: {},
    body: undefined,
    credential: undefined,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...extra,
  });
}

async function fails(reason: RegExp, extra: Partial<HttpRequest> = {}): Promise<void> {
  const error = await send(extra).then(
    ({ status }) => assert.fail(`answered ${status}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'HTTP_FAILED');
  assert.match(error.message, reason);
  await eventually(async () => assert.equal(server.openConnections, 0, 'a connection stayed open'));
}

/** Sends these bytes and keeps the connection. */
function answering(...parts: readonly (string | Uint8Array)[]): void {
  server.answer = (socket) => {
    for (const part of parts) socket.write(part);
  };
}

function answeringBody(body: Uint8Array, headers = ''): void {
  answering(`HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.byteLength}\r\n\r\n`, body);
}

describe('a server that', () => {
  it('never sends its headers', async () => {
    server.answer = () => {};
    await fails(/no complete answer within 100 ms/, { timeoutMs: 100 });
  });

  it('sends its headers byte by byte for ever', async () => {
    server.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('X'), 5);
      socket.on('close', () => clearInterval(drip));
    };
    await fails(/no complete answer within 100 ms/, { timeoutMs: 100 });
  });

  it('never ends its body', async () => {
    server.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const flood = setInterval(() => socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`), 1);
      socket.on('close', () => clearInterval(flood));
    };
    await fails(/more than 100000 bytes/);
  });

  it('sends headers without end', async () => {
    answering('HTTP/1.1 200 OK\r\n', `X-A: ${'a'.repeat(100_000)}\r\n\r\n`);
    await fails(/headers of the answer are too large/);
  });

  it('resets the connection', async () => {
    server.answer = (socket) => socket.resetAndDestroy();
    await fails(/connection closed by the server/);
  });

  it('resets the connection in the middle of the body', async () => {
    server.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
      setTimeout(() => socket.resetAndDestroy(), 20);
    };
    await fails(/connection closed by the server/);
  });

  it('promises more than it sends', async () => {
    server.answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    await fails(/connection closed by the server|does not match/);
  });

  it('sends two lengths', async () => {
    answering('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef');
    await fails(/no valid HTTP|does not match/);
  });

  it('speaks something else', async () => {
    answering('SSH-2.0-OpenSSH_9.2\r\n');
    await fails(/no valid HTTP/);
  });

  it('changes the protocol unasked', async () => {
    answering('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    await fails(/./);
  });

  it('redirects to itself for ever', async () => {
    server.answer = (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n');
    const before = server.connections;
    await fails(/more than 5 redirects/);
    assert.equal(server.connections - before, 6);
  });

  it('redirects to what is no address', async () => {
    server.answer = (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n');
    await fails(/./);
  });

  it('redirects with an endless body', async () => {
    server.answer = (socket, request) => {
      if (!request.startsWith('GET / ')) return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend');
      socket.write('HTTP/1.1 302 Found\r\nLocation: /next\r\nTransfer-Encoding: chunked\r\n\r\n');
      const flood = setInterval(() => socket.write(`4\r\nxxxx\r\n`), 1);
      return void socket.on('close', () => clearInterval(flood));
    };
    assert.equal(new TextDecoder().decode((await send()).body), 'end');
    await eventually(async () => assert.ok(server.openConnections <= 1));
  });

  it('sends early hints before the answer', async () => {
    answering('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    assert.equal(new TextDecoder().decode((await send()).body), 'ok');
  });
});

describe('compressed bodies', () => {
  const text = '订单 '.repeat(1_000);
  for (const [coding, bytes] of [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['deflate, gzip', gzipSync(deflateSync(text))],
    ['GZIP , identity', gzipSync(text)],
    ['UTF-8', Buffer.from(text)],
  ] as const) {
    it(`are read: ${coding}, ${bytes.byteLength} bytes`, async () => {
      answeringBody(bytes, `Content-Encoding: ${coding}\r\n`);
      const answer = await send();
      assert.equal(new TextDecoder().decode(answer.body), text);
      const names = answer.headers.map(({ name }) => name);
      assert.equal(names.includes('content-encoding'), coding === 'UTF-8', 'what was undone is no header any more');
    });
  }

  it('say what the host can read', async () => {
    let request = '';
    server.answer = (socket, head) => {
      request = head;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    };
    await send({ headers: { 'Accept-Encoding': 'lzma' } });
    assert.match(request, /\r\naccept-encoding: gzip, deflate, br\r\n/i);
    assert.doesNotMatch(request, /lzma/);
  });

  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
  ] as const) {
    it(`that grow over the limit are refused: ${coding}`, async () => {
      const bomb = compress(Buffer.alloc(200_000_000));
      assert.ok(bomb.byteLength < 300_000, `${bomb.byteLength}`);
      answeringBody(bomb.byteLength > MAX_BODY ? bomb.subarray(0, MAX_BODY) : bomb, `Content-Encoding: ${coding}\r\n`);
      await assert.rejects(send(), /more than 100000 bytes/);
    });
  }

  it('in many layers are refused', async () => {
    answeringBody(gzipSync(gzipSync(gzipSync('x'))), 'Content-Encoding: gzip, gzip, gzip\r\n');
    await assert.rejects(send(), /compressed answer is damaged/);
  });

  it('that break off or lie are damaged', async () => {
    answeringBody(gzipSync(text).subarray(0, 30), 'Content-Encoding: gzip\r\n');
    await assert.rejects(send(), /compressed answer is damaged/);
    answeringBody(Buffer.from('plain text'), 'Content-Encoding: gzip\r\n');
    await assert.rejects(send(), /compressed answer is damaged/);
  });

  it('that are not there are no damage: HEAD and 304', async () => {
    answering('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 500\r\n\r\n');
    assert.equal((await send({ method: 'HEAD' })).body.byteLength, 0);
    answering('HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n');
    assert.equal((await send()).status, 304);
  });
});
