import { shellWord } from '../core/shell-word.ts';
import type { AttemptRecord, HostCallTrace } from '../ports/journal.ts';
import type { StoryStyle } from './story-text.ts';
import { tableLines } from './text-table.ts';
import { visibleLines, visibleText } from './visible-text.ts';

/** The verdict of a run whose effects and messages are stored. */
const DONE = 'done';

/** One line a run, oldest first; under it why it failed, what it called and what it sent on. */
export function runLines(attempts: readonly AttemptRecord[], style: StoryStyle): string[] {
  const runs = attempts.toSorted((a, b) => a.startedAt - b.startedAt);
  const heads = tableLines(runs.map((run) => runHead(run, style)));
  return runs.flatMap((run, index) => [heads[index] ?? '', ...runDetails(run, style).map((line) => `    ${line}`)]);
}

function runHead(run: AttemptRecord, { words, time }: StoryStyle): string[] {
  return [
    time.text(run.startedAt),
    run.queue,
    // A duplicate ran no version of the engine.
    run.version === '' ? run.engineKey : `${run.engineKey}@${run.version}`,
    words.attempt(run.attempt),
    run.verdict,
    `${run.endedAt - run.startedAt} ms`,
  ];
}

function runDetails(run: AttemptRecord, style: StoryStyle): string[] {
  return [...failureLines(run, style), ...tableLines(run.hostCalls.map(hostCallRow)), ...onwardLines(run, style)];
}

function failureLines(run: AttemptRecord, { words }: StoryStyle): string[] {
  if (run.verdict === 'duplicate') return [words.duplicate];
  const [first, ...more] = visibleLines([run.reason, run.message].filter((text) => text !== '').join(': '));
  return first === undefined || first === '' ? [] : [first, ...more.map((line) => `  ${line}`)];
}

function hostCallRow({ name, target, code, durationMs }: HostCallTrace): string[] {
  return [name, target ?? '', code === null ? '' : `Code ${code}`, `${Math.round(durationMs * 10) / 10} ms`];
}

/** What went out with the run, with the command that leads on. A run that was rolled back has sent nothing. */
function onwardLines(run: AttemptRecord, { words, traceCommand }: StoryStyle): string[] {
  if (run.verdict !== DONE) return [];
  return run.hostCalls.flatMap((call) => {
    const sent = sentMessage(call);
    if (sent === undefined) return [];
    const [queue, eventId] = sent;
    return [visibleText(`${words.sentOn} ${queue}: ${traceCommand} ${shellWord(eventId)}`)];
  });
}

/** Queue and EventId of an accepted message; a queue's name holds no blank, an EventId may. */
function sentMessage({ name, target = '', code }: HostCallTrace): [queue: string, eventId: string] | undefined {
  const blank = target.indexOf(' ');
  if (name !== 'MQ.SendMsg' || code !== 1 || blank < 0) return undefined;
  return [target.slice(0, blank), target.slice(blank + 1)];
}
