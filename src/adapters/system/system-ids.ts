import { hash, randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Ids } from '../../ports/ids.ts';

/** Identifiers of this process. ULIDs rise also within one millisecond and when the clock is set back. */
export function systemIds(): Ids {
  const nextUlid = monotonicFactory();
  return {
    ulid: () => nextUlid(),
    guid: () => randomUUID(),
    random: () => Math.random(),
    sha256Hex: (data) => hash('sha256', data, 'hex'),
  };
}
