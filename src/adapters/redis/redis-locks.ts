import { tenantKey } from '../../core/tenant.ts';
import type { LockName, Locks } from '../../ports/locks.ts';
import type { RedisLink } from './redis-link.ts';

/** The key holds its owner; the server lets it expire. */
const TAKE = `
  local owner = redis.call('GET', KEYS[1])
  if owner and owner ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`;

const EXTEND = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const DROP = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

/** Leases on one Redis server. */
export class RedisLocks implements Locks {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async take(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    return (await this.#link.run((redis) => redis.eval(TAKE, 1, keyOf(lock), owner, leaseMs))) === 1;
  }

  async extend(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    return (await this.#link.run((redis) => redis.eval(EXTEND, 1, keyOf(lock), owner, leaseMs))) === 1;
  }

  async drop(lock: LockName, owner: string): Promise<void> {
    await this.#link.run((redis) => redis.eval(DROP, 1, keyOf(lock), owner));
  }
}

/** Outside every tenant's namespace: no script can read or remove a lock through its cache. */
function keyOf({ tenant, name }: LockName): string {
  return `v8host:lock:${tenantKey(tenant)}:${name}`;
}
