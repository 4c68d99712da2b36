import { Redis, type RedisOptions } from 'ioredis';
import type { CacheUrl } from '../../core/cache-url.ts';
import type { AppError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { fromConnectionError, fromRedisError } from './redis-errors.ts';

/** A command waits so long for a lost connection to come back, counted from the loss. Milliseconds. */
const PATIENCE_MS = 500;

/** A command, and silence of the server while one is awaited. Together with the patience about 2 s. Milliseconds. */
const ANSWER_MS = 1_500;

/** Setting up a connection, TLS included. Milliseconds. */
const CONNECT_MS = 3_000;

/** Longest pause between two attempts to connect. Milliseconds. */
const LONGEST_PAUSE_MS = 2_000;

/** An idle connection is asked this often, or a cut cable would be noticed by the next command only. Milliseconds. */
const HEARTBEAT_MS = 5_000;

/** Wait of `probe` for the first connection. Milliseconds. */
const PROBE_MS = 5_000;

export interface LinkOptions {
  readonly url: CacheUrl;
  /** What the connection is for: it names it in the log and in `CLIENT LIST`. */
  readonly purpose: 'commands' | 'events' | 'mqtt';
  readonly log: Log;
  readonly clock: Clock;
  /** The connection is there, also after a loss. */
  readonly onUp?: () => void;
  /** The connection is lost. */
  readonly onDown?: () => void;
  /** A message of a channel that was subscribed to. */
  readonly onMessage?: (channel: string, text: string) => void;
}

/**
 * One connection that comes back by itself.
 *
 * - `down`: connecting, at first and after a loss. Commands wait while the outage is younger than the patience and are
 *   refused afterwards. A command in flight at the loss is refused, never sent again: it may have worked.
 * - `up`: commands are sent. Silence for longer than an answer may take ends the connection.
 * - `closed`: for ever.
 */
export class RedisLink {
  readonly #options: LinkOptions;
  readonly #redis: Redis;
  readonly #closing = new AbortController();
  #mode: 'down' | 'up' | 'closed' = 'down';
  /** Aborted when this outage ends. */
  #outage = new AbortController();
  #downSince: number;
  /** Aborted when the first attempt to connect has ended, either way. */
  readonly #firstAttempt = new AbortController();
  /** Why the last connection or attempt failed. */
  #failure = new Error('not connected yet');
  /** True when this connection could not choose its database: the driver would go on with database 0. */
  #isMisplaced = false;
  /** The reason that the log has last been told. */
  #toldReason: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#downSince = options.clock.now();
    this.#redis = new Redis(driverOptions(options.url, options.purpose));
    this.#redis.on('error', (error: Error) => this.#fail(error));
    this.#redis.on('ready', () => this.#rise());
    this.#redis.on('close', () => this.#fall());
    this.#redis.on('connecting', () => {
      this.#isMisplaced = false;
    });
    this.#redis.on('message', (channel: string, text: string) => options.onMessage?.(channel, text));
    void this.#keepAwake();
  }

  get isUp(): boolean {
    return this.#mode === 'up';
  }

  /**
   * Sends commands. @param key they are about, for the message.
   * @throws AppError CACHE_UNAVAILABLE, CACHE_VALUE_MISMATCH.
   */
  async run<T>(work: (redis: Redis) => Promise<T>, key?: string): Promise<T> {
    await this.#untilUp();
    try {
      return await work(this.#redis);
    } catch (error) {
      throw fromRedisError(error, key);
    }
  }

  /** Resolves when the server answers; waits for the first attempt to connect. @throws AppError CACHE_UNAVAILABLE. */
  async probe(): Promise<void> {
    await this.#options.clock.sleep(PROBE_MS, this.#firstAttempt.signal);
    await this.run((redis) => redis.ping());
  }

  /** Ends the connection; what is in flight is refused. */
  close(): void {
    if (this.#mode === 'closed') return;
    this.#mode = 'closed';
    this.#failure = new Error('closed');
    this.#closing.abort();
    this.#firstAttempt.abort();
    this.#outage.abort();
    this.#redis.disconnect();
  }

  async #untilUp(): Promise<void> {
    const left = PATIENCE_MS - (this.#options.clock.now() - this.#downSince);
    if (this.#mode === 'down' && left > 0) await this.#options.clock.sleep(left, this.#outage.signal);
    if (this.#mode !== 'up') throw fromConnectionError(this.#failure);
  }

  #rise(): void {
    if (this.#mode !== 'down' || this.#isMisplaced) return;
    this.#mode = 'up';
    this.#toldReason = undefined;
    this.#failure = new Error('the connection was closed');
    this.#firstAttempt.abort();
    this.#outage.abort();
    this.#options.log.info('cache.connected', this.#place());
    this.#options.onUp?.();
  }

  #fall(): void {
    if (this.#mode !== 'up') return;
    this.#mode = 'down';
    this.#outage = new AbortController();
    this.#downSince = this.#options.clock.now();
    this.#options.log.warn('cache.connection_lost', this.#problem());
    this.#options.onDown?.();
  }

  #fail(error: Error): void {
    // What follows is the end that we made of the connection.
    if (this.#isMisplaced) return;
    this.#failure = error;
    if (/DB index is out of range/.test(error.message)) {
      this.#isMisplaced = true;
      this.#redis.disconnect(true);
    }
    if (this.#mode === 'down') this.#tell();
    this.#firstAttempt.abort();
  }

  /** Logs why connecting fails, each reason once and not at every attempt. */
  #tell(): void {
    const problem = this.#problem();
    const reason = String(problem.err.params.reason);
    if (reason === this.#toldReason) return;
    this.#toldReason = reason;
    this.#options.log.warn('cache.connect_failed', problem);
  }

  async #keepAwake(): Promise<void> {
    while (this.#mode !== 'closed') {
      await this.#options.clock.sleep(HEARTBEAT_MS, this.#closing.signal);
      // No answer ends the connection by itself.
      if (this.#mode === 'up') await this.#redis.ping().catch(() => {});
    }
  }

  #problem(): { address: string; purpose: string; err: AppError } {
    return { ...this.#place(), err: fromConnectionError(this.#failure) };
  }

  #place(): { address: string; purpose: string } {
    return { address: this.#options.url.loggable, purpose: this.#options.purpose };
  }
}

function driverOptions(url: CacheUrl, purpose: string) {
  return {
    host: url.host,
    port: url.port,
    db: url.db,
    ...(url.username === undefined ? {} : { username: url.username, password: '' }),
    ...(url.password === undefined ? {} : { password: url.password }),
    ...(url.tls ? { tls: {} } : {}),
    connectionName: `v8host-${purpose}`,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    // A stopped server never answers our goodbye.
    disconnectTimeout: 100,
    retryStrategy: reconnectPause,
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
  } satisfies RedisOptions;
}

/** 50 ms, doubling to 2 s, each between half and all of it, so that hosts do not come back at the same moment. */
function reconnectPause(attempt: number): number {
  const pause = Math.min(50 * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return Math.round(pause * (0.5 + Math.random() / 2));
}
