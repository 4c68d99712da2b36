import type { TableDiff } from '../app/row-watch.ts';
import type { TrialReport } from '../app/try-message.ts';
import type { Lang } from '../core/errors.ts';
import type { Row } from '../ports/table-store.ts';
import { tableLines } from './text-table.ts';
import { visibleLines, visibleText } from './visible-text.ts';

/** A trial for a reader at a terminal: its end, then each kind of effect. Kinds without any are left out. */
export function trialLines(report: TrialReport, lang: Lang): string[] {
  const words = WORDS[lang];
  const engine = `${report.engineKey}@${report.version}`;
  const result = report.result === null || report.result === undefined ? [] : [JSON.stringify(report.result)];
  return [
    visibleText(`${report.eventId} · ${engine} · ${report.durationMs} ms`),
    words.would[report.would],
    ...visibleLines(report.reason, '  ').filter((line) => line.trim() !== ''),
    ...section(words.result, result),
    ...tableSections(report, lang),
    ...section(
      words.messages,
      report.messages.flatMap(({ queue, eventId, message }) => [`${queue} ${eventId}`, `  ${message}`]),
    ),
    ...section(
      words.requests,
      report.requests.map((request) => requestLine(request, lang)),
    ),
    ...section(
      words.cache,
      report.cacheWrites.map(({ operation, key }) => `${operation} ${key}`),
    ),
    ...section(
      words.logs,
      report.logs.map(({ title, text }) => `${title}: ${text}`),
    ),
    '',
    words.undone,
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.flatMap((line) => visibleLines(line, '  '))];
}

function tableSections({ tables }: TrialReport, lang: Lang): string[] {
  const words = WORDS[lang];
  if (tables === undefined || tables === null) return ['', words.unknown];
  return tables.flatMap((diff) => {
    const title = diff.complete ? diff.table : `${diff.table} (${words.incomplete})`;
    return section(title, diffLines(diff));
  });
}

/** `+` a new row, `-` a removed one, `~` a changed one with its columns before and after. */
function diffLines({ inserted, updated, deleted }: TableDiff): string[] {
  return [
    ...inserted.map((row) => `+ ${rowText(row)}`),
    ...deleted.map((row) => `- ${rowText(row)}`),
    ...updated.flatMap(({ before, after, changed }) => [
      `~ ${String(after.Id ?? '')}`,
      ...tableLines(changed.map((column) => [`    ${column}`, cell(before[column]), '→', cell(after[column])])),
    ]),
  ];
}

function rowText(row: Row): string {
  return Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => `${column}=${cell(value)}`)
    .join(' ');
}

function cell(value: Row[string] | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function requestLine({ method, url, status, refused }: TrialReport['requests'][number], lang: Lang): string {
  const words = WORDS[lang];
  return `${method} ${url} ${refused ? words.refused : (status ?? words.failed)}`;
}

const WORDS = {
  zh: {
    would: {
      acknowledge: '现在运行会成功，消息会被确认。',
      retry: '现在运行会失败，并按绑定的设置重试：',
      dead: '现在运行会失败，并进入死信：',
      'run-again': '没能运行到结束，不计次数，稍后会再次运行：',
      'already-done': '这个 EventId 已处理完成，重放不会再运行；下面是假如运行的结果。',
    },
    result: '返回值',
    messages: '会发送的消息',
    requests: 'HTTP 请求',
    cache: '缓存写入（未执行）',
    logs: '日志',
    incomplete: '行太多，只显示一部分',
    unknown: '事务已丢失，看不到数据的变化。',
    refused: '未发送（--allow-http 允许发送）',
    failed: '失败',
    undone: '以上均已撤销。',
  },
  en: {
    would: {
      acknowledge: 'It would succeed now, and the message would be acknowledged.',
      retry: 'It would fail now, and be tried again as its binding says:',
      dead: 'It would fail now, and become a dead letter:',
      'run-again': 'It did not come to an end; it would run again later, uncounted:',
      'already-done': 'This EventId is done, so a replay would not run. If it ran, this would happen.',
    },
    result: 'Result',
    messages: 'Messages that would be sent',
    requests: 'HTTP requests',
    cache: 'Cache writes, not made',
    logs: 'Logs',
    incomplete: 'too many rows, only some are shown',
    unknown: 'The transaction was lost, so nobody can tell what would change.',
    refused: 'not sent (--allow-http sends)',
    failed: 'failed',
    undone: 'All of it was undone.',
  },
} as const;
