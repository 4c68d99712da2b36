import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listen } from '../../src/admin/listen.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { FakeServices, MemoryLog } from '../admin/fake-services.ts';

export const TOKEN = 'token-of-the-cli-test';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A real admin server over fake services on a free port, and the command line as a process that finds it. */
export async function startHost(t: TestContext) {
  const services = new FakeServices();
  const server = createAdminServer({
    services,
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

/** Runs the command line as a process, with nothing in its environment but what is given. */
export function runCli(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<CliEnd> {
  return endOf(spawn(process.execPath, [MAIN, ...args], { cwd, env: { PATH: process.env.PATH ?? '', ...env } }));
}

/** Collects the output of a process until it ends. */
export async function endOf(child: ReturnType<typeof spawn>): Promise<CliEnd> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}

export function temporaryDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'v8host-cli-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
