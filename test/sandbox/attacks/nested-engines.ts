import type { RunLimits } from '../../../src/core/run-limits.ts';
import type { HostCallAnswer, HostCallSink } from '../../../src/ports/engine-runner.ts';
import { endOf, type RunOptions, reply, runStart } from '../../support/lanes.ts';
import { ATTACK_LIMITS } from './attack.ts';

/**
 * Answers `V8.ApiEngine.Run(key)` by running the engine of that key nested, as the host does; its caller gets how it
 * ended. Every other call is answered with `{"Code":1}`.
 */
export function nestedEngines(
  engines: Readonly<Record<string, string>>,
  limits: Partial<RunLimits> = {},
): NonNullable<RunOptions['call']> {
  const sink: HostCallSink = {
    call: async (name, args) => answer(name, args),
    log: () => undefined,
    warn: () => undefined,
  };
  const answer = (name: string, args: string): HostCallAnswer => {
    const [key] = JSON.parse(args) as string[];
    const source = key === undefined ? undefined : engines[key];
    if (name !== 'ApiEngine.Run' || key === undefined || source === undefined) return reply({ Code: 1 });
    const run = runStart(source, { tenant: 'attacker', engineKey: key, limits: { ...ATTACK_LIMITS, ...limits } });
    const finish = async (outcome: Parameters<typeof endOf>[0]): Promise<string> =>
      outcome.kind === 'returned' ? outcome.json : JSON.stringify(endOf(outcome));
    return { kind: 'nested', run, calls: sink, finish };
  };
  return answer;
}
