import { connect } from 'node:net';
import { join } from 'node:path';
import { ownPort } from '../own-port.ts';
import { ensurePrograms } from './packages.ts';
import { serviceDir } from './service-dir.ts';
import { ServiceProcess } from './service-process.ts';
import type { ProcessPlan } from './tied-process.ts';

export interface RedisOptions {
  /** Keeps what it acknowledged over a kill (every write flushed); without it a kill empties it, as a cache may be. */
  readonly durable?: boolean;
}

/** A Redis server of its own. */
export class Redis extends ServiceProcess {
  /** Of database 0. */
  readonly url: string;
  readonly port: number;
  readonly #dir: string;
  readonly #durable: boolean;

  /** Use `startRedis`. */
  constructor(dir: string, port: number, options: RedisOptions) {
    super();
    this.#dir = dir;
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#durable = options.durable ?? false;
  }

  protected plan(): ProcessPlan {
    const store = this.#durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#dir, '--save', '', ...store];
    const databases = ['--databases', '1024'];
    return {
      file: 'redis-server',
      args: [...args, ...databases],
      dir: this.#dir,
      logFile: join(this.#dir, 'redis.log'),
    };
  }

  protected isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      socket.setTimeout(1_000, () => socket.destroy());
      socket.once('data', (answer) => {
        resolve(answer.toString('latin1') === '+PONG\r\n');
        socket.destroy();
      });
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
  }
}

/** Starts a private server. @param dir an empty folder; without it one that goes with this process. */
export async function startRedis(dir = serviceDir('redis'), options: RedisOptions = {}): Promise<Redis> {
  await ensurePrograms('redis');
  const server = new Redis(dir, await ownPort(), options);
  await server.start();
  return server;
}
