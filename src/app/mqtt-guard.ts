import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';

/** What one address and one client id may do in a minute before they are kept out for one. */
export interface GuardLimits {
  /** CONNECTs of one address with a wrong password. Many devices may stand behind one address. */
  readonly failuresPerAddress: number;
  /** CONNECTs of one client id that throw an open connection out. */
  readonly takeoversPerClient: number;
  /** Connections of one tenant at once. */
  readonly connectionsPerTenant: number;
}

export const DEFAULT_GUARD_LIMITS: GuardLimits = Object.freeze({
  failuresPerAddress: 300,
  takeoversPerClient: 15,
  connectionsPerTenant: 10_000,
});

const WINDOW_MS = 60_000;
const REMEMBERED = 50_000;

interface Count {
  since: number;
  times: number;
}

/**
 * Keeps out who connects too often: an address that guesses passwords, and two devices that fight for one client id,
 * each of which would otherwise throw the other out for ever.
 */
export class ConnectGuard {
  readonly #limits: GuardLimits;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Count>();
  readonly #connects = new Map<string, Count>();
  readonly #connections = new Map<string, number>();
  readonly #clients = new Map<string, number>();

  constructor(limits: GuardLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** True for an address that failed too often; it is not asked for its password any more. */
  isBanned(address: string): boolean {
    return this.#timesOf(this.#failures, address) >= this.#limits.failuresPerAddress;
  }

  failed(address: string): void {
    this.#count(this.#failures, address);
  }

  /** A CONNECT with good credentials. @returns false when its client id is fought for. */
  admits(tenant: string, clientId: string): boolean {
    const key = clientKey(tenant, clientId);
    if (!this.#clients.has(key)) return this.#timesOf(this.#connects, key) < this.#limits.takeoversPerClient;
    return this.#count(this.#connects, key) < this.#limits.takeoversPerClient;
  }

  hasRoom(tenant: string): boolean {
    return (this.#connections.get(tenantKey(tenant)) ?? 0) < this.#limits.connectionsPerTenant;
  }

  opened(tenant: string, clientId: string): void {
    add(this.#connections, tenantKey(tenant), 1);
    add(this.#clients, clientKey(tenant, clientId), 1);
  }

  closed(tenant: string, clientId: string): void {
    add(this.#connections, tenantKey(tenant), -1);
    add(this.#clients, clientKey(tenant, clientId), -1);
  }

  #timesOf(counts: Map<string, Count>, key: string): number {
    const count = counts.get(key);
    return count === undefined || this.#isOver(count) ? 0 : count.times;
  }

  #count(counts: Map<string, Count>, key: string): number {
    const known = counts.get(key);
    if (known !== undefined && !this.#isOver(known)) return ++known.times;
    counts.delete(key);
    counts.set(key, { since: this.#clock.now(), times: 1 });
    for (const oldest of counts.keys()) {
      if (counts.size <= REMEMBERED) break;
      counts.delete(oldest);
    }
    return 1;
  }

  #isOver({ since }: Count): boolean {
    const age = this.#clock.now() - since;
    return age < 0 || age >= WINDOW_MS;
  }
}

function clientKey(tenant: string, clientId: string): string {
  return `${tenantKey(tenant)}\u001f${clientId}`;
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count <= 0) counts.delete(key);
  else counts.set(key, count);
}
