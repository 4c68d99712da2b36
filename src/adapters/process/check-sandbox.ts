import { coerceError } from '../../core/errors.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { EngineRunner, HostCallSink } from '../../ports/engine-runner.ts';
import type { RunStart, ScriptInput } from '../../protocol/messages.ts';

/** A run that had no fair chance on a busy machine is tried again. */
const TRIES = 3;

const ENGINE_KEY = 'sandbox-check';

const CHECK_LIMITS: RunLimits = { ...DEFAULT_RUN_LIMITS, wallMs: 5_000, cpuMs: 1_000 };

/** A pattern that the sandbox is built on, and what must become of it. */
interface Pattern {
  readonly name: string;
  readonly source: string;
  holds(outcome: RunOutcome): boolean;
}

const PATTERNS: readonly Pattern[] = [
  {
    // Without --no-opt nothing but a kill ends it (sandbox.md 0).
    name: 'native loop',
    source: "for (;;) new Array(1000).fill('x');",
    holds: (outcome) => outcome.kind === 'limit' && outcome.error.code === 'V8_CPU_LIMIT',
  },
  {
    // Judged by what the entry throws, a run that returned would count as failed (sandbox.md 4).
    name: 'floating rejection',
    source: "Promise.reject(new Error('floating')); return 1;",
    holds: (outcome) => outcome.kind === 'returned' && outcome.json === '1',
  },
];

/**
 * Runs the patterns on a lane as the tenant.
 * @returns what does not hold, one line each; empty when all is well, or the host closes meanwhile. Never rejects.
 */
export async function checkSandbox(runner: EngineRunner, tenant: string): Promise<readonly string[]> {
  const findings: string[] = [];
  try {
    for (const pattern of PATTERNS) {
      const outcome = await outcomeOf(runner, tenant, pattern.source);
      if (outcome.kind !== 'unstarted' && !pattern.holds(outcome)) findings.push(`${pattern.name}: ${endOf(outcome)}`);
    }
    if (runner.load().some((load) => load.tenant === tenant && load.quarantined)) {
      findings.push('native loop: it cost its lane');
    }
  } catch (e) {
    const { code } = coerceError(e);
    if (code !== 'DRAINING') findings.push(code);
  }
  return findings;
}

async function outcomeOf(runner: EngineRunner, tenant: string, source: string): Promise<RunOutcome> {
  const slot = await runner.acquire(tenant, {});
  try {
    let outcome = await slot.run(startOf(tenant, source), SILENT);
    for (let tries = 1; tries < TRIES && outcome.kind === 'unstarted'; tries++) {
      outcome = await slot.run(startOf(tenant, source), SILENT);
    }
    return outcome;
  } finally {
    slot.release();
  }
}

function startOf(tenant: string, source: string): RunStart {
  const input: ScriptInput = {
    Param: null,
    OsClient: tenant,
    CurrentUser: null,
    EventName: '',
    ApiEngineKey: ENGINE_KEY,
    InvokeType: 'Server',
    Limits: null,
  };
  const inputJson = JSON.stringify(input);
  return { tenant, engineKey: ENGINE_KEY, version: '', source, inputJson, limits: CHECK_LIMITS };
}

const SILENT: HostCallSink = {
  call: async () => ({ kind: 'reply', json: 'null' }),
  log: () => undefined,
  warn: () => undefined,
};

function endOf(outcome: RunOutcome): string {
  return 'error' in outcome && 'code' in outcome.error ? outcome.error.code : outcome.kind;
}
