import { isIP } from 'node:net';
import type { Options, RecoveryOptions, SocketOptions } from 'amqplib';
import type { AmqpSettings } from '../../core/mq-settings.ts';
import type { Ids } from '../../ports/ids.ts';

/** Seconds. Two missed ones end the connection, so a frozen broker is noticed within 45 s. */
const HEARTBEAT_S = 15;

/** Time for one attempt to connect, from the socket to the open virtual host. Milliseconds. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Pauses between attempts, once every host was tried. Milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** A broker that knows us and refuses us is asked rarely: its log is read by people. Milliseconds. */
const REFUSED_PAUSE_MS = 30_000;

/** Where the next attempt goes. The driver reads `options` anew at every attempt. */
export class Endpoint {
  readonly options: Options.Connect;
  readonly #hosts: readonly string[];
  readonly #ids: Ids;
  /** Hosts that were not tried since every one was. */
  #untried: string[] = [];
  #isAtFirst = true;

  constructor(settings: AmqpSettings, ids: Ids) {
    this.#hosts = settings.hosts;
    this.#ids = ids;
    this.options = {
      protocol: settings.tls ? 'amqps' : 'amqp',
      port: settings.port,
      username: settings.user,
      password: settings.password,
      vhost: encodeURIComponent(settings.vhost),
      heartbeat: HEARTBEAT_S,
    };
    this.moveOn();
  }

  get host(): string {
    return this.options.hostname ?? '';
  }

  /** True when every host was tried, and the next attempt begins with them anew. */
  get isAtFirst(): boolean {
    return this.#isAtFirst;
  }

  /** Turns to another host: every one once, in random order, before any comes again. */
  moveOn(): void {
    this.#isAtFirst = this.#untried.length === 0;
    if (this.#isAtFirst) this.#untried = [...this.#hosts];
    const [host = ''] = this.#untried.splice(Math.floor(this.#ids.random() * this.#untried.length), 1);
    this.options.hostname = host;
  }

  /** How long to wait before attempt `attempt` (from 1): none until every host was tried, then growing. */
  pauseMs(attempt: number, refused: boolean): number {
    if (!this.#isAtFirst) return 0;
    const rounds = Math.floor((attempt - 1) / this.#hosts.length);
    const step = refused ? REFUSED_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** rounds);
    return step * (0.5 + this.#ids.random() / 2);
  }
}

/** The socket's options. `name` is what the broker's console shows for the connection. */
export function socketOptions(
  name: string,
  settings: AmqpSettings,
  recovery: RecoveryOptions,
): SocketOptions & { recovery: RecoveryOptions } {
  return {
    clientProperties: { connection_name: name },
    noDelay: true,
    keepAlive: true,
    timeout: CONNECT_TIMEOUT_MS,
    recovery,
    ...tlsName(settings),
  };
}

/** Without a name of its own the driver checks each host's certificate against that host. */
export function tlsName({ tlsServerName }: AmqpSettings): { servername?: string } {
  return tlsServerName === undefined || isIP(tlsServerName) !== 0 ? {} : { servername: tlsServerName };
}
