import type { ScriptError, SourcePosition } from '../core/run-outcome.ts';

/** Stack lines kept of one error; more tell an author nothing. */
const MAX_STACK_LINES = 20;

/** Name of a script in stacks and messages. */
export function scriptFile(engineKey: string): string {
  return `${engineKey}.js`;
}

/**
 * Builds what an author is told about a throw. Of the stack only lines of the script's own file stay: others are the
 * platform's. The text is the script's to forge, which harms nobody but its author.
 */
export function readScriptError(file: string, name: string, message: string, stack: string): ScriptError {
  const lines = stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at ') && positionAtEnd(file, line) !== undefined)
    .slice(0, MAX_STACK_LINES);
  const at = positionAtEnd(file, lines[0] ?? '');
  return { name, message, stack: lines, ...(at === undefined ? {} : { at }) };
}

/** The position that ends a stack line: `at save (file.js:12:7)` or `at file.js:12:7`. */
function positionAtEnd(file: string, line: string): SourcePosition | undefined {
  const match = /(?:^|[\s(])([^\s()]+):(\d+):(\d+)\)?$/.exec(line);
  if (match?.[1] !== file) return undefined;
  return { file, line: Number(match[2]), column: Number(match[3]) };
}

/**
 * Splits the position off a message of the compiler: `Unexpected token ';' [file.js:2:11]`.
 * A message without one is about the whole source.
 */
export function readSyntaxError(file: string, text: string): { at: SourcePosition; message: string } {
  const match = /^(.*) \[[^[\]]*:(\d+):(\d+)\]$/s.exec(text);
  if (match === null) return { at: { file, line: 1, column: 1 }, message: text };
  return { at: { file, line: Number(match[2]), column: Number(match[3]) }, message: match[1] ?? '' };
}
