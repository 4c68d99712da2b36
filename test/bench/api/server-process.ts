/**
 * One side of the comparison as a process of its own, so that neither shares a heap or an event loop with the other or
 * with the load: `node server-process.ts host|bare` prints its port, and ends with its stdin.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import Fastify, { type FastifyInstance } from 'fastify';
import { createAdminServer } from '../../../src/admin/server.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';
import { TestHost } from '../../support/test-host.ts';
import { ORDER_CODE } from './order-code.ts';

const LANES = Number(process.env.BENCH_LANES ?? 4);

const { server, end } = process.argv[2] === 'host' ? await hostSide() : bareSide();
await server.listen({ host: '127.0.0.1', port: 0 });
const address = server.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
process.stdin.resume().on('end', async () => {
  await server.close();
  await end();
  process.exit(0);
});

/** A route that runs the code where it stands, with no tenant, no limit and no isolation. */
function bareSide(): { server: FastifyInstance; end: () => Promise<void> } {
  const run = new Function('V8', ORDER_CODE) as (v8: { Param: unknown }) => unknown;
  const server = Fastify();
  server.post('/apiengine/bench', async (request) => run({ Param: request.body }));
  return { server, end: async () => undefined };
}

async function hostSide(): Promise<{ server: FastifyInstance; end: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  const host = await TestHost.open(dir, { lanes: LANES, entryCallsPerSecond: 1_000_000 });
  await host.push({ 'bench.js': `/**\n * @anonymous\n */\n${ORDER_CODE}` });
  await host.host.start();
  const server = createAdminServer({
    services: host.host.services,
    identity: host.host.identity,
    token: 'token-of-the-bench',
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
  });
  return {
    server,
    end: async () => {
      await host.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
