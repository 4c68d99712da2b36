import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownPort } from '../own-port.ts';
import { ensurePrograms, PROGRAM_PATH } from './packages.ts';
import { serviceDir } from './service-dir.ts';
import { ServiceProcess } from './service-process.ts';
import { type ProcessPlan, TiedProcess } from './tied-process.ts';

const BIN = '/usr/lib/rabbitmq/bin';
const run = promisify(execFile);

/**
 * A quorum queue younger than this may not survive a kill of its node: its registration reaches the disk 500 ms after
 * the declaration, and without it the queue comes back empty and without a leader, and answers nothing (rabbitmq-server
 * issue 15725). A test that kills waits this long after it declared.
 */
export const QUORUM_QUEUE_SETTLED_MS = 1_000;

export interface RabbitMqOptions {
  /** Lines of rabbitmq.conf beside ours, such as `consumer_timeout = 5000`. */
  readonly config?: readonly string[];
}

interface Ports {
  readonly amqp: number;
  readonly management: number;
  readonly distribution: number;
  readonly epmd: number;
}

/** A RabbitMQ node with the management plugin, its own Erlang port mapper and its own data. */
export class RabbitMq extends ServiceProcess {
  /** Of the user guest on the vhost `/`. */
  readonly url: string;
  /** Management API of the user guest: `http://guest:guest@127.0.0.1:PORT`. */
  readonly apiUrl: string;
  readonly port: number;
  readonly #dir: string;
  readonly #ports: Ports;
  readonly #portMapper: TiedProcess;

  /** Use `startRabbitMq`. */
  constructor(dir: string, ports: Ports, options: RabbitMqOptions) {
    super();
    this.#dir = dir;
    this.#ports = ports;
    this.port = ports.amqp;
    this.url = `amqp://guest:guest@127.0.0.1:${ports.amqp}`;
    this.apiUrl = `http://guest:guest@127.0.0.1:${ports.management}`;
    writeFileSync(join(dir, 'rabbitmq.conf'), `${[...this.#config(), ...(options.config ?? [])].join('\n')}\n`);
    writeFileSync(join(dir, 'enabled_plugins'), '[rabbitmq_management].\n');
    this.#portMapper = new TiedProcess({
      file: 'epmd',
      args: ['-port', String(ports.epmd), '-address', '127.0.0.1'],
      dir,
      logFile: join(dir, 'epmd.log'),
    });
  }

  /** Runs `rabbitmqctl` against this node; about a second each, the management API is faster. @returns its output. */
  async rabbitmqctl(...args: string[]): Promise<string> {
    const env = { ...this.#environment(), PATH: PROGRAM_PATH };
    const { stdout } = await run(join(BIN, 'rabbitmqctl'), args, { env, cwd: this.#dir });
    return stdout;
  }

  protected plan(): ProcessPlan {
    const logFile = join(this.#dir, 'rabbitmq.log');
    return { file: join(BIN, 'rabbitmq-server'), args: [], env: this.#environment(), dir: this.#dir, logFile };
  }

  protected async isReady(): Promise<boolean> {
    const path = `/api/health/checks/port-listener/${this.#ports.amqp}`;
    return (await managementApi(this.apiUrl, 'GET', path).catch(() => undefined))?.ok === true;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#portMapper.signal('SIGKILL');
    await this.#portMapper.ended();
  }

  #config(): string[] {
    return [
      'management.tcp.ip = 127.0.0.1',
      `management.tcp.port = ${this.#ports.management}`,
      'disk_free_limit.absolute = 50MB',
      // Queue lengths in the management API are as old as this; the default is 5 s.
      'collect_statistics_interval = 1000',
    ];
  }

  #environment(): Record<string, string> {
    const dir = this.#dir;
    return {
      HOME: dir,
      LANG: 'C.UTF-8',
      ERL_EPMD_PORT: String(this.#ports.epmd),
      RABBITMQ_NODENAME: 'v8host@localhost',
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(this.#ports.amqp),
      RABBITMQ_DIST_PORT: String(this.#ports.distribution),
      RABBITMQ_MNESIA_BASE: join(dir, 'data'),
      RABBITMQ_LOG_BASE: join(dir, 'log'),
      RABBITMQ_PID_FILE: join(dir, 'pid'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'enabled_plugins'),
      RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
      RABBITMQ_CONF_ENV_FILE: join(dir, 'no-rabbitmq-env.conf'),
      // The start script then becomes the node instead of waiting for it: one process to kill.
      RUNNING_UNDER_SYSTEMD: 'true',
      // Schedulers that spin for work take the cores from the tests.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
        '-start_epmd false -kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none',
    };
  }
}

/** Starts a private node. @param dir an empty folder; without it one that goes with this process. */
export async function startRabbitMq(dir = serviceDir('rabbitmq'), options: RabbitMqOptions = {}): Promise<RabbitMq> {
  await ensurePrograms('rabbitmq');
  const [amqp, management, distribution, epmd] = [await ownPort(), await ownPort(), await ownPort(), await ownPort()];
  const node = new RabbitMq(dir, { amqp, management, distribution, epmd }, options);
  await node.start();
  return node;
}

/** One request to a management API; the credentials are in the URL. */
export function managementApi(apiUrl: string, method: string, path: string, body?: unknown): Promise<Response> {
  const { origin, username, password } = new URL(apiUrl);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return fetch(origin + path, {
    method,
    headers: { authorization: `Basic ${credentials.toString('base64')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
}
