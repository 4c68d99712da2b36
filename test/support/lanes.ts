import { createHash } from 'node:crypto';
import { createLanePool } from '../../src/adapters/process/lane-pool.ts';
import type { LanePoolOptions } from '../../src/adapters/process/lane-pool-options.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../src/core/run-limits.ts';
import type { RunOutcome } from '../../src/core/run-outcome.ts';
import type { EngineRunner, HostCallAnswer, HostCallSink } from '../../src/ports/engine-runner.ts';
import type { Log } from '../../src/ports/log.ts';
import type { RunStart, ScriptInput } from '../../src/protocol/messages.ts';
import { eventually } from './eventually.ts';
import { SILENT_LOG } from './silent-log.ts';

export { SILENT_LOG };

/** What a test wants other than the ordinary run. */
export interface RunOptions {
  readonly tenant?: string;
  readonly engineKey?: string;
  readonly limits?: Partial<RunLimits>;
  readonly input?: Partial<ScriptInput>;
  /** Answers host calls; the default answers every one with `{"Code":1}`. */
  readonly call?: (name: string, args: string) => Promise<HostCallAnswer> | HostCallAnswer;
}

/** A run as its host saw it. */
export interface Observed {
  readonly outcome: RunOutcome;
  readonly calls: readonly { name: string; args: string }[];
  readonly log: readonly string[];
  readonly warnings: readonly string[];
}

export function openLanes(lanes = 1, options: Partial<LanePoolOptions> = {}): Promise<EngineRunner> {
  return createLanePool({
    lanes,
    rssMb: DEFAULT_RUN_LIMITS.rssMb,
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
    ...options,
  });
}

/** A pool that tells which process sits where: `pid(index)`, the lane apart has the last index. */
export async function openNumberedLanes(
  lanes: number,
  options: Partial<LanePoolOptions> = {},
): Promise<EngineRunner & { readonly pid: (lane: number) => number }> {
  const pids = new Map<unknown, number>();
  const log: Log = {
    ...SILENT_LOG,
    child: () => log,
    debug: (event, fields) => {
      if (event === 'lane.started') pids.set(fields?.lane, Number(fields?.pid));
    },
  };
  const pool = await openLanes(lanes, { ...options, log });
  await eventually(() => {
    if (pids.size <= lanes) throw new Error(`only ${pids.size} lanes are up`);
  });
  return Object.assign(pool, { pid: (lane: number) => pids.get(lane) ?? 0 });
}

export function runStart(source: string, options: RunOptions = {}): RunStart {
  const tenant = options.tenant ?? 'demo';
  const engineKey = options.engineKey ?? 'engine';
  return {
    tenant,
    engineKey,
    version: createHash('sha256').update(source).digest('hex').slice(0, 12),
    source,
    inputJson: JSON.stringify({
      Param: {},
      OsClient: tenant,
      CurrentUser: {},
      EventName: '',
      ApiEngineKey: engineKey,
      InvokeType: 'Server',
      Limits: null,
      ...options.input,
    } satisfies ScriptInput),
    limits: { ...DEFAULT_RUN_LIMITS, ...options.limits },
  };
}

export function reply(value: unknown): HostCallAnswer {
  return { kind: 'reply', json: JSON.stringify(value) };
}

/** The host's side of a run, written down. */
export class RecordingSink implements HostCallSink {
  readonly calls: { name: string; args: string }[] = [];
  readonly lines: string[] = [];
  readonly warnings: string[] = [];
  readonly #answer: NonNullable<RunOptions['call']>;

  constructor(answer: RunOptions['call']) {
    this.#answer = answer ?? (() => reply({ Code: 1 }));
  }

  async call(name: string, args: string): Promise<HostCallAnswer> {
    this.calls.push({ name, args });
    return this.#answer(name, args);
  }

  log(level: string, line: string): void {
    this.lines.push(`${level} ${line}`);
  }

  warn(text: string): void {
    this.warnings.push(text);
  }
}

/** Runs one script on a lane of its own turn. */
export async function runScript(runner: EngineRunner, source: string, options: RunOptions = {}): Promise<Observed> {
  const sink = new RecordingSink(options.call);
  const slot = await runner.acquire(options.tenant ?? 'demo', {});
  try {
    const outcome = await slot.run(runStart(source, options), sink);
    return { outcome, calls: sink.calls, log: sink.lines, warnings: sink.warnings };
  } finally {
    slot.release();
  }
}

/** The value that a script returned. Fails the test when it ended in another way. */
export async function returnedBy(runner: EngineRunner, source: string, options: RunOptions = {}): Promise<unknown> {
  const { outcome } = await runScript(runner, source, options);
  if (outcome.kind !== 'returned') throw new Error(`the script ended as ${JSON.stringify(outcome)}`);
  return JSON.parse(outcome.json);
}

/** The error code of a run that broke a limit; the kind of any other end. */
export function endOf(outcome: RunOutcome): string {
  return 'error' in outcome && 'code' in outcome.error ? outcome.error.code : outcome.kind;
}
