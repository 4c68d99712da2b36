import type { Lang } from '../core/errors.ts';
import { shellWord } from '../core/shell-word.ts';
import type { EventStory } from '../ports/journal.ts';
import type { LocalTime } from './local-time.ts';
import { runLines } from './story-runs.ts';
import { STORY_WORDS, type StoryWords } from './story-words.ts';
import { tableLines } from './text-table.ts';
import { firstLine, visibleLines, visibleText } from './visible-text.ts';

/** How a story is told. */
export interface StoryStyle {
  readonly words: StoryWords;
  readonly time: LocalTime;
  /** The command that tells another event's story, such as `npx v8host trace`. */
  readonly traceCommand: string;
}

/** What the reader's call says about the telling. `options` are those to repeat in commands, such as `--tenant t`. */
export interface StoryReader {
  readonly lang: Lang;
  readonly time: LocalTime;
  readonly options: string;
}

/** The story of an event for a reader at a terminal, oldest run first. Parts without rows are left out. */
export function storyLines(story: EventStory, { lang, time, options }: StoryReader): string[] {
  const words = STORY_WORDS[lang];
  const style = { words, time, traceCommand: `npx v8host trace${options}` };
  return [
    `EventId ${visibleText(story.eventId)} · ${words.times(time.zone)}`,
    ...section(words.inbox, tableLines(inboxRows(story, words))),
    ...section(words.runs, runLines(story.attempts, style)),
    ...section(words.parked, parkedLines(story, style)),
    ...section(words.outbox, tableLines(outboxRows(story))),
    ...section(words.receiveLog, tableLines(receiveLogRows(story, words))),
    ...section(words.sysLog, sysLogLines(story)),
    ...nextStep(story, words, options),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function inboxRows({ inbox }: EventStory, words: StoryWords): string[][] {
  return inbox.map((row) => [row.queue, row.status, row.engineKey, words.attempt(row.attempt), row.doneAt ?? '']);
}

/** One line a row; an error that no run above has told already stands under it. */
function parkedLines(story: EventStory, { words, time }: StoryStyle): string[] {
  const { parked } = story;
  const heads = tableLines(
    parked.map((row) => [
      row.queue,
      words.cycle(row.cycle),
      words.attempt(row.attempt),
      row.state,
      row.reason,
      row.state === 'waiting' ? `${words.due} ${time.text(row.dueAt)}` : '',
    ]),
  );
  return parked.flatMap(({ error }, index) => [
    heads[index] ?? '',
    ...(error === '' || isToldByRun(story, error) ? [] : visibleLines(error, '    ')),
  ]);
}

/** The text of a run is cut, that of its parked row is not. */
function isToldByRun({ attempts }: EventStory, text: string): boolean {
  return attempts.some(({ message }) => message !== '' && text.startsWith(message));
}

function outboxRows({ outbox }: EventStory): string[][] {
  return outbox.map((row) => [row.queue, row.state, String(row.attempts), firstLine(row.lastError ?? '')]);
}

function receiveLogRows(story: EventStory, { logged }: StoryWords): string[][] {
  const word = (text: string) => logged[text] ?? text;
  return story.receiveLog.map((row) => [
    row.receiveTime ?? row.sendTime ?? '',
    word(row.type),
    row.queue,
    word(row.status),
    isToldByRun(story, row.statusInfo) ? '' : firstLine(word(row.statusInfo)),
  ]);
}

/** One line an entry; what it says in several lines stands under it. */
function sysLogLines({ sysLog }: EventStory): string[] {
  const several = (content: string) => content.includes('\n');
  const heads = tableLines(
    sysLog.map((row) => [LEVELS[row.level], row.type, row.title, several(row.content) ? '' : row.content]),
  );
  return sysLog.flatMap(({ content }, index) => [
    heads[index] ?? '',
    ...(several(content) ? visibleLines(content, '    ') : []),
  ]);
}

const LEVELS = { 1: 'info', 2: 'warn', 3: 'error' } as const;

/** What somebody who reads this probably wants next. */
function nextStep(story: EventStory, words: StoryWords, options: string): string[] {
  const { eventId, inbox, attempts, parked } = story;
  if (inbox.length + attempts.length + parked.length === 0) return ['', words.unhandled];
  const dead = parked.filter(({ state }) => state === 'dead');
  if (dead.length === 0) return [];
  // Its EventId is done with another content, so no replay could ever run it.
  if (dead.every(({ reason }) => reason === 'event-id-reused')) return ['', words.reused];
  return ['', visibleText(`${words.replay}: npx v8host dead-letters replay${options} ${shellWord(eventId)}`)];
}
