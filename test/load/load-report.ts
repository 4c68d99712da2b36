import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bar, judge } from '../bench/bars.ts';
import { describeMachine } from '../bench/machine.ts';
import { type Chart, escapeXml, lineChart } from './line-chart.ts';
import type { LoadResult } from './run-load.ts';
import { type KindSummary, loadBars, ratesOverTime, summariseKinds, useOverTime, waitsOverTime } from './summary.ts';

/** A report as it is written in Markdown and in HTML. */
export interface LoadReport {
  readonly title: string;
  readonly facts: readonly string[];
  readonly bars: readonly Bar[];
  readonly kinds: readonly KindSummary[];
  readonly charts: readonly { readonly file: string; readonly svg: string }[];
}

const PAGE_STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #8886;padding:.25rem .6rem;text-align:right}
td:first-child,th:first-child{text-align:left}svg{width:100%;height:auto;margin:.5rem 0}`;

const DAY_TICKS = ['0:00', '3:00', '6:00', '9:00', '12:00', '15:00', '18:00', '21:00', '24:00'];
const STEADY_TICKS = 5;

/** Everything that is worth reading of a load. */
export function reportOf(result: LoadResult): LoadReport {
  const { options, plan, notes } = result;
  const late = Math.max(0, ...notes.lateMs);
  return {
    title: options.shape === 'day' ? 'A day of a factory group' : 'A steady load of a factory group',
    facts: [
      `${options.tenants} tenants with ${options.devicesPerTenant} devices each, ${options.minutes} minutes, seed ${options.seed}, rate × ${options.rate}`,
      `${plan.deeds.length} deeds, ${notes.refused.length} refused; settled ${(result.settleMs / 1000).toFixed(1)} s after the last one`,
      `the generator itself was ${late.toFixed(0)} ms late at most`,
      describeMachine(),
    ],
    bars: loadBars(result),
    kinds: summariseKinds(notes),
    charts: chartsOf(result),
  };
}

/** Writes `report.md`, `report.html` and one SVG per picture. Nothing in them is loaded from elsewhere. */
export function writeReport(dir: string, report: LoadReport): void {
  mkdirSync(dir, { recursive: true });
  for (const { file, svg } of report.charts) writeFileSync(join(dir, file), `${svg}\n`);
  writeFileSync(join(dir, 'report.md'), renderMarkdown(report));
  writeFileSync(join(dir, 'report.html'), renderHtml(report));
}

export function renderMarkdown({ title, facts, bars, kinds, charts }: LoadReport): string {
  const table = (rows: readonly (readonly string[])[]): string[] => {
    const [head = [], ...body] = rows;
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    return [line(head), line(head.map((_, n) => (n === 0 ? '---' : '---:'))), ...body.map(line), ''];
  };
  return [
    `# ${title}`,
    '',
    ...facts.map((fact) => `* ${fact}`),
    '',
    ...table(barRows(bars)),
    ...table(kindRows(kinds)),
    ...charts.map(({ file }) => `![${file.replace('.svg', '')}](${file})\n`),
  ].join('\n');
}

export function renderHtml({ title, facts, bars, kinds, charts }: LoadReport): string {
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`;
  const table = ([head = [], ...body]: readonly (readonly string[])[]): string =>
    `<table>${row(head, 'th')}${body.map((cells) => row(cells, 'td')).join('')}</table>`;
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeXml(title)}</title><style>${PAGE_STYLE}</style>`,
    `<h1>${escapeXml(title)}</h1><ul>${facts.map((fact) => `<li>${escapeXml(fact)}</li>`).join('')}</ul>`,
    table(barRows(bars)),
    table(kindRows(kinds)),
    ...charts.map(({ svg }) => svg),
    '</html>\n',
  ].join('\n');
}

function barRows(bars: readonly Bar[]): string[][] {
  const rows = bars.map((bar) => [
    bar.name,
    bar.value.toFixed(1),
    `${bar.atMost ? '≤' : '≥'} ${bar.target}`,
    judge(bar),
  ]);
  return [['bar', 'value', 'target', 'verdict'], ...rows];
}

function kindRows(kinds: readonly KindSummary[]): string[][] {
  const ms = (value: number): string => value.toFixed(0);
  const rows = kinds.map((each) => [
    `${each.kind}, until ${each.stage}`,
    String(each.count),
    ...[each.p50, each.p95, each.p99, each.max].map(ms),
  ]);
  return [['kind', 'count', 'p50 ms', 'p95 ms', 'p99 ms', 'most ms'], ...rows];
}

function chartsOf(result: LoadResult): { file: string; svg: string }[] {
  const { options, plan, notes } = result;
  const frame = {
    events: notes.events.map(({ atMs, what }) => ({ at: Math.min(1, atMs / plan.lengthMs), name: what })),
    ticks: options.shape === 'day' ? DAY_TICKS : minuteTicks(options.minutes),
  };
  const chart = (file: string, own: Pick<Chart, 'title' | 'unit' | 'series'>) => ({
    file: `${file}.svg`,
    svg: lineChart({ ...own, ...frame }),
  });
  return [
    chart('rates', { title: 'Accepted', unit: 'per second', series: ratesOverTime(result) }),
    chart('waits', { title: '95 of 100 took at most', unit: 'ms', series: waitsOverTime(result) }),
    chart('memory', { title: 'Memory', unit: 'MiB', series: useOverTime(result, 'memory') }),
    chart('cpu', { title: 'CPU', unit: '% of a core', series: useOverTime(result, 'cpu') }),
  ];
}

function minuteTicks(minutes: number): string[] {
  return Array.from({ length: STEADY_TICKS }, (_, n) => `${((minutes * n) / (STEADY_TICKS - 1)).toFixed(1)} min`);
}
