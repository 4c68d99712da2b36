import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ownPort } from '../own-port.ts';
import { ensurePrograms } from './packages.ts';
import { serviceDir } from './service-dir.ts';
import { ServiceProcess } from './service-process.ts';
import type { ProcessPlan } from './tied-process.ts';

/** A Mosquitto of its own, open to everybody on this machine: what our broker is compared with. */
export class Mosquitto extends ServiceProcess {
  readonly port: number;
  readonly #dir: string;

  /** Use `startMosquitto`. */
  constructor(dir: string, port: number) {
    super();
    this.#dir = dir;
    this.port = port;
  }

  protected plan(): ProcessPlan {
    const file = join(this.#dir, 'mosquitto.conf');
    const lines = [
      `listener ${this.port} 127.0.0.1`,
      'allow_anonymous true',
      'persistence false',
      'max_packet_size 1048576',
      'max_queued_messages 0',
      'set_tcp_nodelay true',
      'user root',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return { file: 'mosquitto', args: ['-c', file], dir: this.#dir, logFile: join(this.#dir, 'mosquitto.log') };
  }

  protected isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  }
}

/** Starts a private server in a folder that goes with this process. */
export async function startMosquitto(): Promise<Mosquitto> {
  await ensurePrograms('mosquitto-server');
  const server = new Mosquitto(serviceDir('mosquitto'), await ownPort());
  await server.start();
  return server;
}
