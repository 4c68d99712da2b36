import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RESULT_COMMANDS } from '../scripts/results/result-commands.ts';
import { type ResultFile, readResults, resultOf } from '../scripts/results/result-file.ts';
import { renderResultsPage } from '../scripts/results/results-page.ts';

const ROOT = join(import.meta.dirname, '..');
const FACTS = { date: '2026-01-02T03:04:05', machine: '2 cores', seconds: 9 };
const [COMMAND] = RESULT_COMMANDS;
assert.ok(COMMAND);

describe('kept results', () => {
  it('are the bars of an output with version, date and machine; without bars there is no result', () => {
    const result = resultOf(COMMAND, 'told\nbar a-b 1.50 2 ok\nbar c 0 1 short\n', FACTS);
    assert.deepEqual([result.name, result.command, result.machine], [COMMAND.name, COMMAND.typed, '2 cores']);
    assert.match(result.version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(
      result.bars.map(({ name, verdict }) => `${name} ${verdict}`),
      ['a-b ok', 'c short'],
    );
    assert.throws(() => resultOf(COMMAND, 'it failed', FACTS), /no bars[\s\S]*it failed/);
  });

  it('are of commands that there are, and every benchmark has one', () => {
    const known = new Map(RESULT_COMMANDS.map(({ name, typed }) => [name, typed]));
    for (const { name, command, bars } of readResults()) {
      assert.equal(command, known.get(name), name);
      assert.ok(bars.length > 0, name);
    }
    for (const { args } of RESULT_COMMANDS) assert.ok(existsSync(join(ROOT, args[0] ?? '')), args.join(' '));
    const benches = readdirSync(join(ROOT, 'test/bench')).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
    for (const bench of benches) assert.ok(known.has(`bench-${bench}`), bench);
  });

  it('stand on the page with their machine, short ones, too; what was not measured is named', () => {
    const result: ResultFile = resultOf(COMMAND, 'bar a-b 1.50 2 ok\nbar c 0 1 short\n', FACTS);
    for (const lang of ['en', 'zh'] as const) {
      const page = renderResultsPage(lang, [result]);
      assert.match(page, /2026-01-02T03:04:05.*2 cores/);
      assert.match(page, /^\| c \| 0 \| 1 \| short \|$/m);
      for (const { typed } of RESULT_COMMANDS) assert.ok(page.includes(`\`${typed}\``), typed);
    }
  });
});
