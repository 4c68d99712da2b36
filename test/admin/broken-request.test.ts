/** What never became a request is answered like one that was refused, and is nobody's alarm. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

describe('bytes that are no request', () => {
  const log = new MemoryLog();
  const token = 'token-of-the-broken';
  const server = createAdminServer({
    services: new FakeServices(),
    identity: NO_IDENTITY,
    token,
    lang: 'en',
    timezone: 'UTC',
    log,
  });
  before(() => server.listen({ port: 0, host: '127.0.0.1' }));
  after(() => server.close());

  async function send(text: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const { port } = server.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (part) => {
      answer += part.toString();
    });
    socket.on('end', () => socket.destroy());
    socket.end(text);
    await once(socket, 'close');
    const [head = '', json = ''] = answer.split('\r\n\r\n', 2);
    assert.match(head, /content-type: application\/json/i, answer);
    return { status: Number(head.split(' ')[1]), body: JSON.parse(json) as Record<string, unknown> };
  }

  const REFUSED: Readonly<Record<string, readonly [status: number, field: string, bytes: string]>> = {
    'no HTTP at all': [400, 'HTTP', 'hello\r\n\r\n'],
    'a header without a name': [400, 'HTTP', 'GET /livez HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    'headers beyond the bound': [431, 'HTTP', `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    'two lengths': [400, 'HTTP', 'POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    'no Host': [400, 'Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    'a body that stops': [
      400,
      'HTTP',
      `POST /api/v1/tenants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"tenant"`,
    ],
  };

  for (const [name, [status, field, bytes]] of Object.entries(REFUSED)) {
    it(`${name}: ${status}, with a code, a text and the field ${field}`, async () => {
      const answer = await send(bytes);
      assert.equal(answer.status, status);
      assert.deepEqual([answer.body.Code, answer.body.ReasonCode], [0, 'REQUEST_INVALID']);
      assert.match(String(answer.body.Msg), new RegExp(`invalid at ${field}`));
    });
  }

  it('an expectation that nobody knows is passed over', async () => {
    const { status, body } = await send('GET /livez HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n');
    assert.deepEqual([status, body.Code], [200, 1]);
  });

  it('leaves no error in the log of the host', () => {
    assert.deepEqual(
      log.lines.filter(({ level }) => level === 'error'),
      [],
    );
  });
});
