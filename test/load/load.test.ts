import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { soakBars } from './host-soak.ts';
import { niceTop } from './line-chart.ts';
import { reportOf, writeReport } from './load-report.ts';
import { runLoad } from './run-load.ts';
import { summariseKinds } from './summary.ts';

const OPTIONS = { minutes: 0.08, tenants: 2, devicesPerTenant: 3, rate: 0.8, shape: 'day' } as const;

test('a day in five seconds: every effect once, every kind measured, a report that stands for itself', {
  timeout: 240_000,
}, async (t) => {
  const seed = (Date.now() % 1_000_000) + 1;
  t.diagnostic(`seed ${seed}`);
  const result = await runLoad({ dir: tempDir(t) }, { ...OPTIONS, seed }, (line) => t.diagnostic(line));
  assert.deepEqual(result.faults, { lost: [], doubled: [], foreign: [] });
  assert.deepEqual([result.settled, result.notes.refused], [true, []]);
  assert.equal(result.notes.events.length, 7);

  const kinds = summariseKinds(result.notes);
  const sent = result.plan.deeds.filter(({ kind }) => kind === 'order').length;
  for (const stage of ['accepted', 'done']) {
    const orders = kinds.find((each) => each.kind === 'order' && each.stage === stage);
    assert.equal(orders?.count, sent, stage);
    assert.ok(orders.p50 <= orders.p95 && orders.p95 <= orders.max);
  }
  assert.ok(result.notes.samples.some(({ hostMib, lanesMib, lanes }) => hostMib > 50 && lanesMib > 10 && lanes > 0));
  assert.ok(soakBars(result).every(({ name, value }) => name.includes('growth') || value === 0));

  const dir = tempDir(t);
  const report = reportOf(result);
  writeReport(dir, report);
  assert.deepEqual(readdirSync(dir).sort(), [
    'cpu.svg',
    'memory.svg',
    'rates.svg',
    'report.html',
    'report.md',
    'waits.svg',
  ]);
  const page = readFileSync(join(dir, 'report.html'), 'utf8');
  // The name of the SVG language is no address that is loaded.
  assert.doesNotMatch(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|src=|@import|<script/);
  assert.equal(page.match(/<svg /g)?.length, 4);
  for (const { name } of report.bars) assert.ok(page.includes(`<td>${name}</td>`), name);
});

test('an axis ends at a round number that is not below', () => {
  assert.deepEqual([3, 0.07, 1, 10.1, 240, 999].map(niceTop), [5, 0.1, 1, 20, 250, 1_000]);
});
