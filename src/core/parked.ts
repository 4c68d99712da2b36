/** Why a message is in the dead letters (defaults.md 6). */
export const DEAD_REASONS = [
  'invalid-envelope',
  'too-large',
  'budget-exhausted',
  'rejected',
  'sandbox-crash',
  'host-crash',
  'torn-transaction',
  'event-id-reused',
  'engine-missing',
  'identity-refused',
] as const;

export type DeadReason = (typeof DEAD_REASONS)[number];

/**
 * State of a parked message. `waiting` is due at its time; `behind` waits until the earlier messages of its order key
 * are decided; `dead` waits for people; `replayed` was sent again by people and not heard of since; `resolved` ended by
 * a committed run.
 */
export type ParkedState = 'waiting' | 'behind' | 'dead' | 'replayed' | 'resolved';

/** States that a message is parked in by the host. */
export type ParkingState = Extract<ParkedState, 'waiting' | 'behind' | 'dead'>;
