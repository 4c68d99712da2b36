import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliEnd, runCli } from '../../test/support/command-line.ts';
import { HOST_TOKEN, HostProcess } from '../../test/support/host-process.ts';
import type { ReadmeLang } from './transcript.ts';

const LOCALE: Readonly<Record<ReadmeLang, string>> = { en: 'en_US.UTF-8', zh: 'zh_CN.UTF-8' };

/** A host with the demonstration in it, as a first start makes it, and somebody at a terminal beside it. */
export interface DemoHost {
  readonly host: HostProcess;
  run(args: readonly string[]): Promise<CliEnd>;
}

/** Runs `use` with a host of its own, in a language. */
export async function withDemoHost<T>(lang: ReadmeLang, use: (demo: DemoHost) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-readme-'));
  const host = await HostProcess.create(dir, { demo: true, lang, mqtt: { enabled: false } });
  try {
    await host.start();
    const env = { V8HOST_URL: `http://127.0.0.1:${host.port}`, V8HOST_TOKEN: HOST_TOKEN, LANG: LOCALE[lang] };
    return await use({ host, run: (args) => runCli(args, { cwd: dir, env }) });
  } finally {
    await host.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
