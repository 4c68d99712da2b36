import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { listen } from '../../src/admin/listen.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from '../admin/fake-services.ts';
import { NO_IDENTITY } from '../admin/no-identity.ts';
import { runCli } from '../support/command-line.ts';

export const TOKEN = 'token-of-the-cli-test';

/** A real admin server over fake services on a free port, and the command line as a process that finds it. */
export async function startHost(t: TestContext) {
  const services = new FakeServices();
  const server = createAdminServer({
    services,
    identity: NO_IDENTITY,
    token: TOKEN,
    lang: 'zh',
    timezone: 'Asia/Shanghai',
    log: new MemoryLog(),
  });
  t.after(() => server.close());
  const { url } = await listen(server, { bind: '127.0.0.1', port: 0, portConfigured: true });
  const cwd = temporaryDirectory(t);
  const cli = (...args: string[]) => runCli(args, { cwd, env: { V8HOST_URL: url, V8HOST_TOKEN: TOKEN } });
  return { services, url, cwd, cli };
}

export function temporaryDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'v8host-cli-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
