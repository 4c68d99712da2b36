import { MAX_WALL_MS } from './run-limits.ts';

/** Most runs at once of one binding (`Prefetch`, `@prefetch`). */
export const MAX_PREFETCH = 1000;

/** Longest wall time of a binding's runs (`TimeoutSeconds`, `@timeout`), seconds. */
export const MAX_TIMEOUT_SECONDS = MAX_WALL_MS / 1000;

/** Most requeues (`Count`, `@retry`): what the INT column holds. */
export const MAX_RETRY_COUNT = 2_147_483_647;
