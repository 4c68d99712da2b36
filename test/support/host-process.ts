import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type CliEnd, runCli } from './command-line.ts';
import { ownPort } from './own-port.ts';
import { PROGRAM_ENVIRONMENT } from './program-environment.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Of every host of these tests. */
export const HOST_TOKEN = 'test-token-0123456789abcdef';

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route pass here
  readonly body: any;
}

/** The real host as a process of its own, on a data directory that outlives it. */
export class HostProcess {
  readonly dataDir: string;
  readonly port: number;
  readonly #configFile: string;
  readonly #env: Record<string, string>;
  /** Directory of the program; that of an earlier version in tests of upgrades. */
  programDir = ROOT;
  #child: ChildProcess | undefined;
  /** Everything the host printed, over all its lives. */
  output = '';

  private constructor(dataDir: string, port: number, env: Record<string, string>) {
    this.dataDir = dataDir;
    this.port = port;
    this.#configFile = join(dataDir, 'v8host.config.json');
    this.#env = env;
  }

  /** Prepares a host; it does not run yet. @param config keys beside dataDir, and in `http` beside port and token. */
  static async create(
    dataDir: string,
    config: Record<string, unknown> = {},
    env: Record<string, string> = {},
  ): Promise<HostProcess> {
    const port = await ownPort();
    const host = new HostProcess(dataDir, port, env);
    const http = { port, token: HOST_TOKEN, ...(config.http as Record<string, unknown> | undefined) };
    const file = { dataDir, demo: false, ...config, http };
    writeFileSync(host.#configFile, JSON.stringify(file));
    return host;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the process without waiting for it to be ready. */
  spawn(): ChildProcess {
    const child = spawn(
      process.execPath,
      [join(this.programDir, 'src/main.ts'), 'start', '--config', this.#configFile],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...PROGRAM_ENVIRONMENT, LANG: 'en_US.UTF-8', ...this.#env },
      },
    );
    child.stdout.on('data', (chunk: Buffer) => this.#record(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#record(chunk));
    this.#child = child;
    return child;
  }

  /** Starts the process and waits until it takes messages. */
  async start(): Promise<void> {
    const child = this.spawn();
    const deadline = Date.now() + 60_000;
    while (Date.now() < deadline) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      if (await this.#isReady()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the host did not get ready:\n${this.output.slice(-4_000)}`);
  }

  /** SIGKILL, as a power cut would do to the process. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill('SIGKILL');
    await exited;
  }

  /** SIGTERM; @returns the exit code. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.#child?.exitCode ?? null;
    const exited = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  }

  /** Process ids of the sandbox lanes. */
  lanes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === this.pid);
  }

  /** Runs a command against this host. */
  cli(...args: string[]): Promise<CliEnd> {
    const env = { V8HOST_URL: `http://127.0.0.1:${this.port}`, V8HOST_TOKEN: HOST_TOKEN, LANG: 'en_US.UTF-8' };
    return runCli(args, { cwd: this.dataDir, env });
  }

  /** What `/readyz` tells those who bring the token. */
  async health(): Promise<{ lanes: { busy: number } }> {
    const headers = { authorization: `Bearer ${HOST_TOKEN}` };
    const response = await fetch(`http://127.0.0.1:${this.port}/readyz`, { headers });
    return ((await response.json()) as { Data: { lanes: { busy: number } } }).Data;
  }

  /** Rows of a tenant's database, read or written beside the host, as people and other programs do. */
  sql(tenant: string, statement: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    const database = new DatabaseSync(join(this.dataDir, 'tenants', `${tenant}.db`), { timeout: 10_000 });
    try {
      return database.prepare(statement).all(...values);
    } finally {
      database.close();
    }
  }

  /** Calls the admin API. */
  async api(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${HOST_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Calls the admin API until the host answers: it may be down or draining. */
  async apiPatiently(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const answer = await this.api(method, path, body).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return answer;
      if (Date.now() > deadline) throw new Error(`no answer from the host:\n${this.output.slice(-4_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #record(chunk: Buffer): void {
    this.output = (this.output + chunk.toString('utf8')).slice(-2_000_000);
  }

  async #isReady(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.port}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  }
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return -1;
  }
}
