import process from 'node:process';
import { AppError } from '../core/errors.ts';
import type { CommandCall } from './command.ts';
import type { DeviceAccount } from './isolation-check.ts';
import { isSuccess } from './show-answer.ts';

/** Signals by which people and systems end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Work on two tenants that the host made for it. */
export type PairWork<T> = (first: DeviceAccount, second: DeviceAccount) => Promise<T>;

/**
 * Lets the host make two tenants, does the work on them and lets the host remove them, whatever happens meanwhile; a
 * second signal ends the program at once, and the host removes them a quarter of an hour later.
 * @returns undefined when a signal came before the work was done.
 * @throws what the work throws; AppError why the host makes or removes none.
 */
export async function withProbePair<T>(call: CommandCall, work: PairWork<T>): Promise<T | undefined> {
  const ended = Promise.withResolvers<undefined>();
  const onSignal = (): void => ended.resolve(undefined);
  // Before there is anything to remove: a signal while the host makes them must not leave them.
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    const { id, accounts } = await openPair(call);
    const [first, second] = accounts;
    try {
      if (first === undefined || second === undefined) throw new AppError('INTERNAL');
      return await Promise.race([work(first, second), ended.promise]);
    } finally {
      await closePair(call, id);
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

interface Pair {
  readonly id: string;
  readonly accounts: readonly DeviceAccount[];
}

async function openPair(call: CommandCall): Promise<Pair> {
  const { result } = await call.host().ask('POST', '/api/v1/isolation-checks');
  if (!isSuccess(result)) throw refusal(result);
  return result.Data as unknown as Pair;
}

async function closePair(call: CommandCall, id: string): Promise<void> {
  const { result } = await call.host().ask('DELETE', `/api/v1/isolation-checks/${encodeURIComponent(id)}`);
  if (!isSuccess(result)) throw refusal(result);
}

function refusal({ ReasonCode, DataAppend }: Awaited<ReturnType<ReturnType<CommandCall['host']>['ask']>>['result']) {
  return new AppError(ReasonCode ?? 'INTERNAL', (DataAppend ?? {}) as Record<string, string>);
}
