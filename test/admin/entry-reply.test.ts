import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { allowOrigins } from '../../src/admin/cors.ts';
import { sendAnswer } from '../../src/admin/entry-reply.ts';

test("a script's Vary adds to the host's own, which keeps answers for other origins apart", async () => {
  const varyOf = async (origins: readonly string[]) => {
    const server = fastify();
    allowOrigins(server, origins);
    const response = {
      status: 200,
      type: 'text/plain',
      headers: [['vary', 'Accept-Language']],
      bytes: new Uint8Array(),
    };
    server.get('/', (_, reply) => sendAnswer(reply, { kind: 'response', response } as never, 'en'));
    return (await server.inject('/')).headers.vary;
  };
  assert.equal(await varyOf([]), 'Accept-Language');
  assert.equal(await varyOf(['https://erp.example.com']), 'Origin, Accept-Language');
});
