import { coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { HostRole } from '../ports/host-role.ts';
import type { Log } from '../ports/log.ts';

/** How often the role is confirmed, or asked for. Milliseconds. */
const CHECK_MS = 2_000;

/** A broker whose role cannot be confirmed for so long is stopped: another host may have one. Milliseconds. */
const UNSURE_MS = 6_000;

/**
 * The role is waited with after it was another host's, so that this one has stopped its broker: longer than UNSURE_MS and
 * a check. Milliseconds.
 */
const TAKE_OVER_MS = 10_000;

export interface MqttStandbyParts {
  readonly role: HostRole;
  readonly clock: Clock;
  readonly log: Log;
  /** Starts this host's broker. */
  start(): Promise<void>;
  /** Stops it. */
  stop(): Promise<void>;
  /** True when the host that had the role has said that its broker has stopped; then nobody needs to wait. */
  hasLeft?(): Promise<boolean>;
}

/** Keeps the broker to one host of those that share a database: runs it while the role is ours, and waits otherwise. */
export class MqttStandby {
  readonly #parts: MqttStandbyParts;
  readonly #ending = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #isRunning = false;
  #confirmedAt = 0;
  /** Since when the role is ours and the broker does not run yet. */
  #waitingSince: number | undefined;
  #isLost = false;

  constructor(parts: MqttStandbyParts) {
    this.#parts = parts;
  }

  /** Starts the broker unless another host has the role. @returns true when it runs. @throws what `start` throws. */
  async begin(): Promise<boolean> {
    const { role, clock, log } = this.#parts;
    if (await role.hold()) {
      this.#confirmedAt = clock.now();
      this.#isRunning = await this.#startFirst();
    } else {
      log.warn('mqtt.held_elsewhere', { holder: await role.holder() });
    }
    this.#loop = this.#run();
    return this.#isRunning;
  }

  /** Takes and gives nothing any more. The broker is left as it is; `release` gives the role back after it stopped. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#loop;
  }

  /** The broker can store nothing any more, such as because another host's has begun: it is stopped with the next check. */
  lost(): void {
    this.#isLost = true;
  }

  release(): Promise<void> {
    return this.#parts.role.release();
  }

  /** A Redis that is away must not keep the whole host down: the broker starts when it is back. */
  async #startFirst(): Promise<boolean> {
    try {
      await this.#parts.start();
      return true;
    } catch (e) {
      if (coerceError(e).code !== 'CACHE_UNAVAILABLE') throw e;
      this.#parts.log.error('mqtt.start_failed', { err: coerceError(e) });
      await this.#parts.role.release();
      return false;
    }
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#ending;
    for (;;) {
      await clock.sleep(CHECK_MS, signal);
      if (signal.aborted) return;
      await this.#check().catch((e: unknown) => log.error('mqtt.start_failed', { err: coerceError(e) }));
    }
  }

  async #check(): Promise<void> {
    const { clock } = this.#parts;
    const isOurs = await this.#parts.role.hold().catch(() => undefined);
    const now = clock.now();
    if (isOurs === true) this.#confirmedAt = now;
    if (this.#isRunning) {
      const isUnsure = isOurs === false || now - this.#confirmedAt > UNSURE_MS;
      if (isUnsure || this.#isLost) await this.#standDown();
    } else if (isOurs !== true) {
      this.#waitingSince = undefined;
    } else {
      this.#waitingSince ??= now;
      const isFree = (await this.#parts.hasLeft?.().catch(() => false)) === true;
      if (isFree || now - this.#waitingSince >= TAKE_OVER_MS) await this.#takeOver();
    }
  }

  async #standDown(): Promise<void> {
    this.#parts.log.error('mqtt.role_lost');
    this.#isRunning = false;
    this.#waitingSince = undefined;
    await this.#parts.stop();
  }

  async #takeOver(): Promise<void> {
    this.#waitingSince = undefined;
    // A broker that ends may be told once more that it is lost; that is none of the next one's business.
    this.#isLost = false;
    try {
      await this.#parts.start();
    } catch (error) {
      // Another host may be able to.
      await this.#parts.role.release();
      throw error;
    }
    this.#isRunning = true;
    this.#parts.log.info('mqtt.taken_over');
  }
}
