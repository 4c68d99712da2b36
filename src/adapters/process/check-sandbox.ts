import { coerceError } from '../../core/errors.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { EngineRunner, HostCallSink } from '../../ports/engine-runner.ts';
import type { RunStart, ScriptInput } from '../../protocol/messages.ts';

/** On a busy machine a run may have no fair chance; only what never holds is a finding. */
const TRIES = 5;

/** No tenant can have this name: a lane that the check costs is nobody's fault. */
const CHECKER = '(check)';

const ENGINE_KEY = 'sandbox-check';

/** The host is at work meanwhile, so the endless loop computes no longer than it must. */
const CHECK_LIMITS: RunLimits = { ...DEFAULT_RUN_LIMITS, wallMs: 30_000, cpuMs: 250 };

/** A pattern that the sandbox is built on, and what must become of it. */
interface Pattern {
  readonly name: string;
  readonly source: string;
  holds(outcome: RunOutcome): boolean;
}

const PATTERNS: readonly Pattern[] = [
  {
    // Without --no-opt nothing but a kill ended it on the engine that the lanes were designed on (sandbox.md 0); Node 26.10
    // ends it softly either way. It speaks first: a run that has spoken gets no second, longer try where the lane had too
    // little of the processor, and that try would cost the lane.
    name: 'native loop',
    source: "console.log(''); for (;;) new Array(1000).fill('x');",
    holds: (outcome) => outcome.kind === 'limit' && outcome.error.code === 'V8_CPU_LIMIT' && outcome.laneLost !== true,
  },
  {
    // Judged by what the entry throws, a run that returned would count as failed (sandbox.md 4).
    name: 'floating rejection',
    source: "Promise.reject(new Error('floating')); return 1;",
    holds: (outcome) => outcome.kind === 'returned' && outcome.json === '1',
  },
];

/** Runs the patterns on a lane. @returns what does not hold, one line each; none when the host closes. Never rejects. */
export async function checkSandbox(runner: Pick<EngineRunner, 'acquire'>): Promise<readonly string[]> {
  const findings: string[] = [];
  try {
    for (const pattern of PATTERNS) {
      const finding = await findingOf(runner, pattern);
      if (finding !== undefined) findings.push(`${pattern.name}: ${finding}`);
    }
  } catch (e) {
    const { code } = coerceError(e);
    if (code !== 'DRAINING') findings.push(code);
  }
  return findings;
}

/** @returns how the last of several runs ended, or undefined when one was as it must be or none began. */
async function findingOf(runner: Pick<EngineRunner, 'acquire'>, pattern: Pattern): Promise<string | undefined> {
  const slot = await runner.acquire(CHECKER, {});
  try {
    let finding: string | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const outcome = await slot.run(startOf(pattern), SILENT);
      if (pattern.holds(outcome)) return undefined;
      if (outcome.kind !== 'unstarted') finding = endOf(outcome);
    }
    return finding;
  } finally {
    slot.release();
  }
}

function startOf({ name, source }: Pattern): RunStart {
  const input: ScriptInput = {
    Param: null,
    OsClient: CHECKER,
    CurrentUser: null,
    EventName: '',
    ApiEngineKey: ENGINE_KEY,
    InvokeType: 'Server',
    Limits: null,
  };
  const inputJson = JSON.stringify(input);
  return { tenant: CHECKER, engineKey: ENGINE_KEY, version: name, source, inputJson, limits: CHECK_LIMITS };
}

const SILENT: HostCallSink = {
  call: async () => ({ kind: 'reply', json: 'null' }),
  log: () => undefined,
  warn: () => undefined,
};

function endOf(outcome: RunOutcome): string {
  if (outcome.kind === 'limit' && outcome.laneLost === true) return `${outcome.error.code}, and it cost its lane`;
  return 'error' in outcome && 'code' in outcome.error ? outcome.error.code : outcome.kind;
}
