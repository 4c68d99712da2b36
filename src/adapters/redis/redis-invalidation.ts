import type { CacheUrl } from '../../core/cache-url.ts';
import { coerceError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Invalidation, InvalidationListener } from '../../ports/invalidation.ts';
import type { Log } from '../../ports/log.ts';
import { RedisLink } from './redis-link.ts';

/** Names in one message; more are sent in several. */
const MAX_NAMES = 500;

/** Messages kept for a server that is away; more become one that says everything changed. */
const MAX_OWED = 100;
const EVERYTHING = '{"everything":true}';

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
  /** Messages that may not have been published. */
  readonly #owed = new Set<string>();
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
    const messages: string[] = [];
    for (let start = 0; start < names.length; start += MAX_NAMES) {
      messages.push(JSON.stringify({ tenant: tenantKey(tenant), names: names.slice(start, start + MAX_NAMES) }));
    }
    const sent = await Promise.allSettled(messages.map((message) => this.#publish(message)));
    for (const result of sent) if (result.status === 'rejected') throw result.reason;
  }

  /** The commands' connection is back: the others hear what could not be said. */
  async announceOwed(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    await Promise.allSettled(owed.map((message) => this.#publish(message)));
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
    this.#tellMissed();
    this.#live = true;
  }

  async #publish(message: string): Promise<void> {
    try {
      await this.#options.commands.run((redis) => redis.publish(this.#channel, message));
    } catch (error) {
      this.#owed.add(message);
      if (this.#owed.size > MAX_OWED) {
        this.#owed.clear();
        this.#owed.add(EVERYTHING);
      }
      throw error;
    }
  }

  #receive(channel: string, text: string): void {
    if (channel !== this.#channel) return;
    if (text === EVERYTHING) this.#tellMissed();
    const { tenant, names } = parseEvent(text);
    for (const name of names) for (const listener of this.#listeners) listener.changed(tenant, name);
  }

  #tellMissed(): void {
    for (const listener of this.#listeners) listener.missed();
  }
}

interface NamedEvent {
  readonly tenant: string;
  readonly names: readonly string[];
}

const NOTHING: NamedEvent = { tenant: '', names: [] };

/** What changed by a message; nothing for one that is not of this product. */
function parseEvent(text: string): NamedEvent {
  try {
    const { tenant, names } = (JSON.parse(text) ?? {}) as { tenant?: unknown; names?: unknown };
    const isOurs =
      typeof tenant === 'string' && Array.isArray(names) && names.every((name) => typeof name === 'string');
    return isOurs ? { tenant, names } : NOTHING;
  } catch {
    return NOTHING;
  }
}
