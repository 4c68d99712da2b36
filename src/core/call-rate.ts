/** How much a tenant may call the host at once, in seconds of its rate. */
const BURST_SECONDS = 1;

/** Longest that a call may be held back; one that would wait longer is refused. Milliseconds. */
export const LONGEST_CALL_WAIT_MS = 1_000;

/** What a tenant has left to call. */
export interface CallAllowance {
  /** Calls; below zero while calls are held back. */
  readonly balance: number;
  /** When it was reckoned. Milliseconds UTC. */
  readonly at: number;
}

/** A call may go on after `waitMs`, or is refused and costs nothing. */
export type CallTurn = { readonly allowance: CallAllowance } & (
  | { readonly refused: false; readonly waitMs: number }
  | { readonly refused: true }
);

/** The allowance of a tenant that has not called yet. */
export function fullAllowance(perSecond: number, now: number): CallAllowance {
  return { balance: perSecond * BURST_SECONDS, at: now };
}

/** Takes one call from an allowance that grows by `perSecond`. A clock that was set back gives and takes nothing. */
export function takeCall(allowance: CallAllowance, perSecond: number, now: number): CallTurn {
  const grown = allowance.balance + (Math.max(0, now - allowance.at) / 1000) * perSecond;
  const current = { balance: Math.min(grown, perSecond * BURST_SECONDS), at: now };
  const balance = current.balance - 1;
  const waitMs = Math.max(0, (-balance / perSecond) * 1000);
  if (waitMs > LONGEST_CALL_WAIT_MS) return { refused: true, allowance: current };
  return { refused: false, waitMs, allowance: { balance, at: now } };
}
