import type { LaneDone } from './messages.ts';

/** The head of nearly every end: a result without warnings. */
const PLAIN_RESULT = '{"kind":"returned"}';

/**
 * Writes the text of a `done` frame: JSON of the outcome and its warnings, LF, and the JSON of a result as it is, so
 * that a large one is written and read once.
 */
export function writeDoneText({ outcome, warnings }: LaneDone): string {
  const { json, ...rest } = outcome.kind === 'returned' ? outcome : { ...outcome, json: '' };
  if (warnings.length === 0) return `${JSON.stringify(rest)}\n${json}`;
  return `${JSON.stringify({ ...rest, warnings })}\n${json}`;
}

/** Takes the text of a `done` frame apart. What is in `head` is not checked. @throws SyntaxError when it is no JSON. */
export function splitDoneText(text: string): { readonly head: unknown; readonly json: string } {
  const at = text.indexOf('\n');
  const head = text.slice(0, Math.max(at, 0));
  return { head: head === PLAIN_RESULT ? { kind: 'returned' } : JSON.parse(head), json: text.slice(at + 1) };
}
