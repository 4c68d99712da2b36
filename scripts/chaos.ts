/**
 * `npm run chaos`: the promise of delivery under fire at full size, over three hosts, with a report in a file. A run is
 * repeated with CHAOS_SEED=<seed>.
 *
 *   npm run chaos -- --messages 20000 --queues classic|quorum --blows 1 --report chaos-report.md
 *
 * `--blows` is the part of the blows that fall, for a smaller run; each kind falls once at least.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { reportBars } from '../test/bench/bars.ts';
import { type ClusterReport, type ClusterRun, runCluster } from '../test/chaos/cluster-run.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    queues: { type: 'string', default: 'classic' },
    blows: { type: 'string', default: '1' },
    report: { type: 'string', default: 'chaos-report.md' },
  },
});
const MESSAGES = Number(values.messages);
const QUEUE_TYPE = values.queues === 'quorum' ? 'quorum' : 'classic';
const REPORT = values.report;
const POISON = 12;

/** Of the messages so many must keep the order of their chain. */
const ORDERED = 0.1;

const BLOWS = { host: 8, lane: 15, service: 6, cut: 30, freeze: 2, slow: 6, rotate: 4 };
const FREEZE_MS = 30_000;
const PART = Number(values.blows);
if (!(PART > 0 && PART <= 1)) throw new Error(`--blows: a part above 0 and up to 1, not ${values.blows}`);

await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-chaos-'));
  const ordered = Math.round(MESSAGES * ORDERED);
  const run: ClusterRun = {
    ...{ dir, queueType: QUEUE_TYPE, hosts: 3, ordered, chains: 20, poison: POISON, blows: blowsOf(PART) },
    // A third of the orders is sent two or three times, and a tenth of the ordered ones twice.
    orders: Math.round((MESSAGES - ordered * 1.1) / 1.5),
    longestPauseMs: 4_000,
    settleMs: 600_000,
  };
  let lines: string[] = [];
  const say = (line: string): void => {
    lines = [...lines, line];
    process.stdout.write(`${line}\n`);
  };
  try {
    const report = await runCluster(run, say);
    writeReport([...lines, ...describe(report)]);
    reportBars([{ name: 'chaos-faults', value: 0, target: 0, atMost: true }]);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    writeReport([...lines, 'FAILED', fault]);
    process.stdout.write(`${fault}\n`);
    reportBars([{ name: 'chaos-faults', value: 1, target: 0, atMost: true }]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function blowsOf(part: number): ClusterRun['blows'] {
  const of = (times: number): number => Math.max(1, Math.round(times * part));
  const { host, lane, service, cut, freeze, slow, rotate } = BLOWS;
  return {
    ...{ host: of(host), lane: of(lane), service: of(service), cut: of(cut), freeze: of(freeze) },
    ...{ slow: of(slow), rotate: of(rotate), freezeMs: FREEZE_MS },
  };
}

function describe(report: ClusterReport): string[] {
  const seconds = (ms: number): string => (ms / 1000).toFixed(0);
  return [
    `${report.messages} messages of ${report.orders} events over 3 hosts, ${QUEUE_TYPE} queues, ${report.poison} poison`,
    `sent in ${seconds(report.sentMs)} s, settled after ${seconds(report.settledMs)} s, ${report.struck.length} blows`,
    `inbox: ${report.progress.done} done; dead letters: ${report.progress.dead}; pending: ${report.progress.pending}`,
    '0 lost, 0 doubled, 0 out of order, every poison dead once, no innocent dead',
  ];
}

function writeReport(lines: readonly string[]): void {
  writeFileSync(REPORT, `# Chaos, ${new Date().toISOString()}\n\n${lines.map((line) => `* ${line}`).join('\n')}\n`);
  process.stdout.write(`report: ${REPORT}\n`);
}
