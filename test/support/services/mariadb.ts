import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { ownPort } from '../own-port.ts';
import { ensurePrograms, PROGRAM_PATH } from './packages.ts';
import { serviceDir } from './service-dir.ts';
import { ServiceProcess } from './service-process.ts';
import type { ProcessPlan } from './tied-process.ts';

const run = promisify(execFile);

/** The server refuses root unless told so; another user needs no word. */
const AS_ROOT = process.getuid?.() === 0 ? ['--user=root'] : [];

export interface MariaDbOptions {
  /** Options of mariadbd beside ours, such as `--log-bin`. */
  readonly args?: readonly string[];
}

/**
 * A MariaDB server with its own data. Commits reach the disk as in production; the rest are the server's own defaults,
 * latin1 among them.
 */
export class MariaDb extends ServiceProcess {
  /** Of root, no password, no database chosen. */
  readonly url: string;
  readonly port: number;
  readonly #dir: string;
  readonly #args: readonly string[];

  /** Use `startMariaDb`. */
  constructor(dir: string, port: number, options: MariaDbOptions) {
    super();
    this.#dir = dir;
    this.port = port;
    this.url = `mysql://root@127.0.0.1:${port}`;
    this.#args = options.args ?? [];
  }

  /** Statements as root on a connection of their own. @returns the rows of a single SELECT. */
  sql(text: string): Promise<RowDataPacket[]> {
    return sqlAsAdmin(this.url, text);
  }

  protected plan(): ProcessPlan {
    const dir = this.#dir;
    const args = [
      '--no-defaults',
      ...AS_ROOT,
      `--datadir=${join(dir, 'data')}`,
      `--tmpdir=${dir}`,
      `--port=${this.port}`,
      `--socket=${join(dir, 'mariadb.sock')}`,
      `--pid-file=${join(dir, 'mariadb.pid')}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--max-connections=500',
      '--innodb-flush-log-at-trx-commit=1',
      '--innodb-log-file-size=32M',
      ...this.#args,
    ];
    return { file: 'mariadbd', args, dir, logFile: join(dir, 'mariadb.log') };
  }

  protected isReady(): Promise<boolean> {
    return this.sql('select 1').then(
      () => true,
      () => false,
    );
  }
}

/** Starts a private server. @param dir an empty folder; without it one that goes with this process. */
export async function startMariaDb(dir = serviceDir('mariadb'), options: MariaDbOptions = {}): Promise<MariaDb> {
  await ensurePrograms('mariadb');
  // A server that starts removes the temporary tables of every other one in its tmpdir, so /tmp is not for us.
  const install = ['--no-defaults', ...AS_ROOT, `--datadir=${join(dir, 'data')}`, `--tmpdir=${dir}`];
  await run('mariadb-install-db', [...install, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env: { PATH: PROGRAM_PATH },
  });
  const server = new MariaDb(dir, await ownPort(), options);
  await server.start();
  return server;
}

/** Statements on a connection of their own. @param url of a user who may run them. */
export async function sqlAsAdmin(url: string, text: string): Promise<RowDataPacket[]> {
  const connection = await createConnection({ uri: url, multipleStatements: true, connectTimeout: 5_000 });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(text);
    return rows;
  } finally {
    connection.destroy();
  }
}
