import type { CacheUrl } from '../../core/cache-url.ts';
import { coerceError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Invalidation, InvalidationListener } from '../../ports/invalidation.ts';
import type { Log } from '../../ports/log.ts';
import { RedisLink } from './redis-link.ts';

/** Names in one message; more are sent in several. */
const MAX_NAMES = 500;

/** Pause before a refused subscription is tried again. Milliseconds. */
const RETRY_MS = 2_000;

export interface InvalidationOptions {
  readonly url: CacheUrl;
  /** Publishes; the subscription has a connection of its own. */
  readonly commands: RedisLink;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Events over publish and subscribe, which keeps nothing for who is away: so a connection that was lost, however
 * shortly, ends in `missed`, and nothing remembered is trusted until the subscription stands again.
 */
export class RedisInvalidation implements Invalidation {
  readonly #options: InvalidationOptions;
  readonly #channel: string;
  readonly #events: RedisLink;
  readonly #listeners = new Set<InvalidationListener>();
  readonly #closing = new AbortController();
  #live = false;

  constructor(options: InvalidationOptions) {
    this.#options = options;
    // Channels know no databases: hosts that share a server and not a database leave each other alone by name.
    this.#channel = `v8host:${options.url.db}:invalidate`;
    this.#events = new RedisLink({
      ...options,
      purpose: 'events',
      onUp: () => void this.#subscribe(),
      onDown: () => {
        this.#live = false;
      },
      onMessage: (channel, text) => this.#receive(channel, text),
    });
  }

  isLive(): boolean {
    return this.#live;
  }

  async announce(tenant: string, names: readonly string[]): Promise<void> {
    for (let start = 0; start < names.length; start += MAX_NAMES) {
      const message = JSON.stringify({ tenant: tenantKey(tenant), names: names.slice(start, start + MAX_NAMES) });
      await this.#options.commands.run((redis) => redis.publish(this.#channel, message));
    }
  }

  listen(listener: InvalidationListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#live = false;
    this.#closing.abort();
    this.#events.close();
  }

  /** Until it worked or the connection is lost: a user may be given the right to the channel while we run. */
  async #subscribe(): Promise<void> {
    let told = false;
    while (this.#events.isUp && !this.#live) {
      try {
        await this.#events.run((redis) => redis.subscribe(this.#channel));
        this.#resume();
      } catch (error) {
        if (!told) this.#options.log.warn('invalidation.subscribe_failed', { err: coerceError(error) });
        told = true;
        await this.#options.clock.sleep(RETRY_MS, this.#closing.signal);
      }
    }
  }

  #resume(): void {
    if (!this.#events.isUp) return;
    for (const listener of this.#listeners) listener.missed();
    this.#live = true;
  }

  #receive(channel: string, text: string): void {
    const event = channel === this.#channel ? parseEvent(text) : undefined;
    if (event === undefined) return;
    for (const name of event.names) for (const listener of this.#listeners) listener.changed(event.tenant, name);
  }
}

/** A message of this product; undefined for anything else on the channel. */
function parseEvent(text: string): { tenant: string; names: readonly string[] } | undefined {
  try {
    const event = JSON.parse(text) as { tenant?: unknown; names?: unknown } | null;
    const { tenant, names } = event ?? {};
    const known = typeof tenant === 'string' && Array.isArray(names) && names.every((name) => typeof name === 'string');
    return known ? { tenant, names: names as string[] } : undefined;
  } catch {
    return undefined;
  }
}
