/** Several runs handed to one lane at once: each has its own calls, limits and end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunOutcome } from '../../../src/core/run-outcome.ts';
import type { EngineRunner, SlotRun } from '../../../src/ports/engine-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { openLanes, RecordingSink, type RunOptions, runStart } from '../../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes(1);
});
after(() => lanes.close());

interface Sent extends SlotRun {
  readonly calls: RecordingSink;
}

function sent(source: string, options: RunOptions = {}): Sent {
  return { start: runStart(source, options), calls: new RecordingSink(options.call) };
}

async function outcomesOf(runs: readonly SlotRun[], decidedTogether = false): Promise<readonly RunOutcome[]> {
  const slot = await lanes.acquire('demo', {});
  try {
    return await Promise.all(slot.runAll(runs, decidedTogether));
  } finally {
    slot.release();
  }
}

const returned = (value: unknown): RunOutcome => ({ kind: 'returned', json: JSON.stringify(value) });

describe('runs that were handed over at once', () => {
  it('happen in order, each with its own host calls', async () => {
    const order: string[] = [];
    const runs = ['a', 'b', 'c'].map((name) =>
      sent(`return V8.Method.NewGuid('${name}') + V8.Method.NewGuid('${name}');`, {
        call: async (_name, args) => {
          order.push(args);
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { kind: 'reply', json: JSON.stringify(name) };
        },
      }),
    );
    assert.deepEqual(await outcomesOf(runs), [returned('aa'), returned('bb'), returned('cc')]);
    assert.deepEqual(order, ['["a"]', '["a"]', '["b"]', '["b"]', '["c"]', '["c"]']);
  });

  it('are kept back while the one under way waits for the host, and begin when it has ended', async () => {
    const lines: string[] = [];
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const [first, second] = [
      sent('console.log("first"); V8.Method.NewGuid(); return 1;', {
        call: async () => {
          lines.push('asked');
          await asked;
          return { kind: 'reply', json: '"x"' };
        },
      }),
      sent('return V8.Method.NewGuid();', {
        call: async () => {
          lines.push('second');
          return { kind: 'reply', json: '"y"' };
        },
      }),
    ];
    const ends = outcomesOf([first, second]);
    await eventually(() => assert.deepEqual(lines, ['asked']), 30_000);
    // Time enough for the lane to read the frame of the second run and, were it not kept back, to begin it.
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual([lines, second.calls.calls], [['asked'], []]);
    answer();
    assert.deepEqual(await ends, [returned(1), returned('y')]);
    assert.deepEqual(lines, ['asked', 'second']);
  });

  it('go on behind one that throws', async () => {
    const outcomes = await outcomesOf([sent('throw new Error("no")'), sent('return 2')]);
    assert.equal(outcomes[0]?.kind, 'threw');
    assert.deepEqual(outcomes[1], returned(2));
  });

  it('end unstarted behind one that costs the lane, which alone is blamed', async () => {
    const limits = { cpuMs: 200, wallMs: 1_000 };
    const bomb = "'x'.repeat(2 ** 28).split('')";
    const outcomes = await outcomesOf([sent('return 1'), sent(bomb, { limits }), sent('return 3'), sent('return 4')]);
    assert.deepEqual(outcomes[0], returned(1));
    assert.ok(['limit', 'crashed'].includes(outcomes[1]?.kind ?? ''), JSON.stringify(outcomes[1]));
    assert.deepEqual(
      outcomes.slice(2).map(({ kind }) => kind),
      ['unstarted', 'unstarted'],
    );
  });

  it('have the time of their own turn, not of those before them', async () => {
    const slow = { limits: { wallMs: 400 }, call: () => new Promise<never>(() => undefined) };
    const [first, second] = await outcomesOf([sent('V8.Method.NewGuid()', slow), sent('return 2', slow)]);
    assert.equal(first?.kind === 'limit' && first.error.code, 'V8_TIMEOUT');
    assert.deepEqual(second, returned(2));
  });

  it('that are decided together each have their own end, which may be told when the next one speaks', async () => {
    let firstEnded = false;
    let endedAtCall: boolean | undefined;
    const call = async () => {
      endedAtCall = firstEnded;
      return { kind: 'reply', json: '"y"' } as const;
    };
    const runs = [sent('return 1'), sent('throw new Error("no")'), sent('return V8.Method.NewGuid()', { call })];
    const slot = await lanes.acquire('demo', {});
    try {
      const ends = slot.runAll(runs, true);
      void ends[0]?.then(() => {
        firstEnded = true;
      });
      const outcomes = await Promise.all(ends);
      assert.deepEqual([outcomes[0], outcomes[1]?.kind, outcomes[2]], [returned(1), 'threw', returned('y')]);
      assert.equal(endedAtCall, true, 'the ends of those before it come before its call');
    } finally {
      slot.release();
    }
  });

  it('that are decided together end softly before one that computes without end', async () => {
    const limits = { cpuMs: 200 };
    const outcomes = await outcomesOf([sent('return 1'), sent('for (;;);', { limits }), sent('return 3')], true);
    assert.deepEqual([outcomes[0], outcomes[2]], [returned(1), returned(3)]);
    assert.equal(outcomes[1]?.kind === 'limit' && outcomes[1].error.code, 'V8_CPU_LIMIT');
  });

  it('that are decided together all end when one costs the lane', async () => {
    const limits = { cpuMs: 200, wallMs: 1_000 };
    const outcomes = await outcomesOf(
      [sent('return 1'), sent("'x'.repeat(2 ** 28).split('')", { limits }), sent('return 3')],
      true,
    );
    assert.ok(
      outcomes.some(({ kind }) => kind === 'limit' || kind === 'crashed'),
      JSON.stringify(outcomes),
    );
    assert.equal(outcomes[2]?.kind, 'unstarted');
  });

  it('are all refused when one has too large an input', async () => {
    const large = { limits: { paramBytes: 10 } };
    const outcomes = await outcomesOf([sent('return 1'), sent('return 2', large)]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['unstarted', 'unstarted'],
    );
  });
});
