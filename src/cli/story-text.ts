import type { Lang } from '../core/errors.ts';
import type { AttemptRecord, EventStory, HostCallTrace } from '../ports/journal.ts';
import { localTime } from './local-time.ts';
import { tableLines } from './text-table.ts';
import { visibleText } from './visible-text.ts';

const WORDS = {
  zh: {
    inbox: '收件箱',
    runs: '运行',
    parked: '重试与死信',
    outbox: '待发消息',
    receiveLog: '收发日志',
    sysLog: '脚本日志',
    attempt: (attempt: number) => `第 ${attempt} 次`,
    cycle: (cycle: number) => `第 ${cycle + 1} 轮`,
    due: '到期',
  },
  en: {
    inbox: 'Inbox',
    runs: 'Runs',
    parked: 'Retries and dead letters',
    outbox: 'Messages not sent yet',
    receiveLog: 'Message log',
    sysLog: 'Script log',
    attempt: (attempt: number) => `attempt ${attempt}`,
    cycle: (cycle: number) => `cycle ${cycle + 1}`,
    due: 'due',
  },
} as const;

type Words = (typeof WORDS)[Lang];

/** The story of an event for a reader at a terminal, oldest run first. Parts without rows are left out. */
export function storyLines(story: EventStory, lang: Lang): string[] {
  const words = WORDS[lang];
  return [
    `EventId ${visibleText(story.eventId)}`,
    ...section(words.inbox, tableLines(inboxRows(story, words))),
    ...section(words.runs, runLines(story.attempts, words)),
    ...section(words.parked, tableLines(parkedRows(story, words))),
    ...section(words.outbox, tableLines(outboxRows(story))),
    ...section(words.receiveLog, tableLines(receiveLogRows(story))),
    ...section(words.sysLog, tableLines(sysLogRows(story))),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function inboxRows({ inbox }: EventStory, words: Words): string[][] {
  return inbox.map((row) => [row.queue, row.status, row.engineKey, words.attempt(row.attempt), row.doneAt ?? '']);
}

/** One line a run, under it why it failed and what it called. */
function runLines(attempts: readonly AttemptRecord[], words: Words): string[] {
  const runs = attempts.toSorted((a, b) => a.startedAt - b.startedAt);
  const heads = tableLines(runs.map((run) => runHead(run, words)));
  return runs.flatMap((run, index) => [heads[index] ?? '', ...runDetails(run).map((line) => `    ${line}`)]);
}

function runHead(run: AttemptRecord, words: Words): string[] {
  return [
    localTime(run.startedAt),
    run.queue,
    `${run.engineKey}@${run.version}`,
    words.attempt(run.attempt),
    run.verdict,
    `${run.endedAt - run.startedAt} ms`,
  ];
}

function runDetails(run: AttemptRecord): string[] {
  const failure = [run.reason, run.message].filter((text) => text !== '').join(': ');
  return [...(failure === '' ? [] : [visibleText(failure)]), ...tableLines(run.hostCalls.map(hostCallRow))];
}

function hostCallRow({ name, target, code, durationMs }: HostCallTrace): string[] {
  return [name, target ?? '', code === null ? '' : `Code ${code}`, `${Math.round(durationMs * 10) / 10} ms`];
}

function parkedRows({ parked }: EventStory, words: Words): string[][] {
  return parked.map((row) => [
    row.queue,
    words.cycle(row.cycle),
    words.attempt(row.attempt),
    row.state,
    row.reason,
    row.state === 'waiting' ? `${words.due} ${localTime(row.dueAt)}` : '',
    row.error,
  ]);
}

function outboxRows({ outbox }: EventStory): string[][] {
  return outbox.map((row) => [row.queue, row.state, String(row.attempts), row.lastError ?? '']);
}

function receiveLogRows({ receiveLog }: EventStory): string[][] {
  return receiveLog.map((row) => [
    row.receiveTime ?? row.sendTime ?? '',
    row.type,
    row.queue,
    row.status,
    row.statusInfo,
  ]);
}

function sysLogRows({ sysLog }: EventStory): string[][] {
  return sysLog.map((row) => [LEVELS[row.level], row.type, row.title, row.content]);
}

const LEVELS = { 1: 'info', 2: 'warn', 3: 'error' } as const;
