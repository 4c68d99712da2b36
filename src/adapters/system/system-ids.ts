import { hash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Ids } from '../../ports/ids.ts';

/** Bytes drawn from the operating system at once: a call for each character of a ULID costs more than the rest of it. */
const POOL_BYTES = 4096;

/** Random numbers in [0, 1) with the 16 bits that one of 32 characters needs. */
function pooledRandom(): () => number {
  const pool = new Uint16Array(POOL_BYTES / 2);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    return (pool[next++] ?? 0) / 0x10000;
  };
}

/** Identifiers of this process. ULIDs rise also within one millisecond and when the clock is set back. */
export function systemIds(): Ids {
  const nextUlid = monotonicFactory(pooledRandom());
  return {
    ulid: () => nextUlid(),
    guid: () => randomUUID(),
    random: () => Math.random(),
    secret: () => randomBytes(32).toString('base64url'),
    sha256Hex: (data) => hash('sha256', data, 'hex'),
  };
}
