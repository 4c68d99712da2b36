import type { CliEnd } from '../../test/support/command-line.ts';

export type ReadmeLang = 'en' | 'zh';

/** One command of the transcript, as a reader types it. */
export interface TranscriptCommand {
  readonly args: readonly string[];
  /** A part of the output that says that what is shown has happened; the command is repeated until it is there. */
  readonly until?: RegExp;
}

const ORDER = '{"OrderId":"A-1","Sku":"P-1","Qty":2}';

/** The same order twice, and a message that never succeeds. */
export const TRANSCRIPT_COMMANDS: readonly TranscriptCommand[] = [
  { args: ['run', 'order-intake', '--param', ORDER] },
  { args: ['run', 'order-intake', '--param', ORDER] },
  { args: ['run', 'stock-show', '--param', '{"Sku":"P-1"}'], until: /98/ },
  { args: ['trace', 'order-A-1'], until: /duplicate[\s\S]*(?:[^\n]*microi\.demo\.orders[^\n]*\n){4}/ },
  { args: ['send', 'demo.broken', '{"Amount":"12,5"}', '--event-id', 'broken-1'] },
  { args: ['dead-letters', 'list'], until: /broken-1/ },
];

const LONGEST_MS = 60_000;
const AGAIN_MS = 250;

/** Runs the commands and writes down what a terminal shows: each command and everything it prints. */
export async function recordTranscript(run: (args: readonly string[]) => Promise<CliEnd>): Promise<string> {
  const parts: string[] = [];
  for (const command of TRANSCRIPT_COMMANDS) {
    const { out, err } = await untilShown(command, run);
    // A terminal shows no spaces at the end of a line, and Markdown checkers dislike them.
    const lines = `${out}${err}`.split('\n').map((line) => line.trimEnd());
    parts.push(`$ ${typed(command.args)}\n${lines.join('\n').trimEnd()}\n`);
  }
  return parts.join('\n');
}

async function untilShown(
  { args, until = /^/ }: TranscriptCommand,
  run: (args: readonly string[]) => Promise<CliEnd>,
): Promise<CliEnd> {
  for (const deadline = Date.now() + LONGEST_MS; ; ) {
    const end = await run(args);
    if (end.code === 0 && until.test(end.out)) return end;
    if (Date.now() > deadline) throw new Error(`${typed(args)} never showed ${until}:\n${end.out}${end.err}`);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function typed(args: readonly string[]): string {
  return ['npx v8host', ...args.map((arg) => (/[{ "]/.test(arg) ? `'${arg}'` : arg))].join(' ');
}

const BEGIN = '<!-- transcript: npm run readme -->';
const END = '<!-- end of transcript -->';

/** The transcript of a README. @throws Error when its place is not marked. */
export function transcriptIn(readme: string): string {
  const [, text] = placeOf(readme);
  return text.replace(/^\n```text\n/, '').replace(/```\n$/, '');
}

/** The README with another transcript. @throws Error when its place is not marked. */
export function withTranscript(readme: string, transcript: string): string {
  const [before, , after] = placeOf(readme);
  return `${before}\n\`\`\`text\n${transcript}\`\`\`\n${after}`;
}

/** Two recordings are the same but for what is another each time: moments, durations, and the columns they move. */
export function withoutMoments(transcript: string): string {
  return transcript
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?/g, 'MOMENT')
    .replace(/\d+ ms/g, 'N ms')
    .replace(/ +/g, ' ');
}

function placeOf(readme: string): [before: string, text: string, after: string] {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the README does not have ${BEGIN} and ${END}`);
  const begin = from + BEGIN.length;
  return [readme.slice(0, begin), readme.slice(begin, to), readme.slice(to)];
}
