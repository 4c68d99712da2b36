import { AppError } from '../core/errors.ts';
import { tenantKey } from '../core/tenant.ts';
import { accountKey } from '../core/user.ts';
import type { Clock } from '../ports/clock.ts';

/** Failed logins are counted for so long. Milliseconds. */
const WINDOW_MS = 15 * 60_000;

/**
 * Failures in one window. One person who forgot meets the first. The second stops guessing from many addresses, the
 * third trying one password on many accounts.
 */
const MOST = { pair: 5, account: 50, address: 30 } as const;

/** Passwords checked at once, and those that wait: each costs 19 MiB and about a tenth of a second of a core. */
const AT_ONCE = 2;
const WAITING = 20;

/** Counts remembered; when it is full, the oldest are forgotten first. */
const MOST_COUNTS = 100_000;

/** A login under way. The first of its ends counts; without one it is a failure. */
export interface LoginAttempt {
  /** The password was right: the attempt is not counted, and the account's failures from this address are forgotten. */
  succeeded(): void;
  /** Nothing was learned, because the database or the host failed: the attempt is not counted. */
  undecided(): void;
}

interface Count {
  failures: number;
  readonly until: number;
}

/**
 * Limits of failed logins on this host. An attempt counts from its beginning, so a burst of a thousand at once gets no
 * further than five one after the other.
 */
export class LoginLimits {
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws AppError LOGIN_LIMITED with the seconds to wait. */
  begin(tenant: string, account: string, address: string): LoginAttempt {
    const from = networkOf(address);
    const person = `${tenantKey(tenant)} ${accountKey(account)}`;
    const limits: readonly (readonly [string, number])[] = [
      [`pair ${person} ${from}`, MOST.pair],
      [`account ${person}`, MOST.account],
      [`address ${from}`, MOST.address],
    ];
    for (const [name, most] of limits) this.#refuseFull(name, most);
    const counts = limits.map(([name]) => this.#count(name));
    for (const count of counts) count.failures += 1;
    let ended = false;
    const takeBack = () => {
      if (!ended) for (const count of counts) count.failures -= 1;
      ended = true;
    };
    return {
      succeeded: () => {
        takeBack();
        this.#counts.delete(limits[0]?.[0] ?? '');
      },
      undecided: takeBack,
    };
  }

  /** Runs costly work, a few at a time. @throws AppError LOGIN_BUSY when too many wait already. */
  async queue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= WAITING) throw new AppError('LOGIN_BUSY');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #refuseFull(name: string, most: number): void {
    const count = this.#counts.get(name);
    const now = this.#clock.now();
    if (count === undefined || count.until <= now || count.failures < most) return;
    throw new AppError('LOGIN_LIMITED', { seconds: Math.ceil((count.until - now) / 1000) });
  }

  #count(name: string): Count {
    const now = this.#clock.now();
    const known = this.#counts.get(name);
    if (known !== undefined && known.until > now) return known;
    this.#counts.delete(name);
    const count = { failures: 0, until: now + WINDOW_MS };
    this.#counts.set(name, count);
    if (this.#counts.size > MOST_COUNTS) this.#forgetOldest();
    return count;
  }

  #forgetOldest(): void {
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}

/** Who has one IPv6 address has 2^64 of them. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
