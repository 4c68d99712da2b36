import type { EngineSource, GlobalCode } from './engine.ts';
import type { RunOutcome, SourcePosition } from './run-outcome.ts';

/** Name of a tenant's global code in messages and stacks. */
export const GLOBAL_CODE_FILE = 'GlobalServerV8Code.js';

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** Ends the global code whatever it ends with: a line comment, a statement without its semicolon. */
const SEPARATOR = '\n;\n';

/**
 * What runs: the tenant's global code, then the engine, as one function body, so that the engine sees what the global
 * code declares. As on the platform, a `let` or `const` of both is a syntax error.
 */
export function composeSource({ source, globalCode }: EngineSource): string {
  return globalCode === undefined ? source : globalCode.source + SEPARATOR + source;
}

/** The version of what runs: it changes with the engine and with the global code. */
export function composedVersion({ version, globalCode }: EngineSource): string {
  return globalCode === undefined ? version : `${version}.${globalCode.version}`;
}

/** Gives positions of an outcome back to the file that they are in: the global code, or the engine with its own lines. */
export function relocateOutcome(outcome: RunOutcome, { globalCode }: EngineSource): RunOutcome {
  if (globalCode === undefined) return outcome;
  const lines = linesBefore(globalCode);
  if (outcome.kind === 'syntax') return { ...outcome, at: relocate(outcome.at, lines) };
  if (outcome.kind !== 'threw') return outcome;
  const { at, stack, message, name } = outcome.error;
  const place = at === undefined ? undefined : relocate(at, lines);
  return {
    kind: 'threw',
    error: {
      name,
      // The sentence for people has line and column, which would be looked for in the engine.
      message: place?.file === GLOBAL_CODE_FILE ? `${message} (${GLOBAL_CODE_FILE})` : message,
      stack: stack.map((line) => relocateLine(line, lines)),
      ...(place === undefined ? {} : { at: place }),
    },
  };
}

function linesBefore(globalCode: GlobalCode): number {
  return (globalCode.source + SEPARATOR).split(LINE_BREAK).length - 1;
}

function relocate(at: SourcePosition, lines: number): SourcePosition {
  return at.line > lines ? { ...at, line: at.line - lines } : { ...at, file: GLOBAL_CODE_FILE };
}

/** A stack line ends in `file:line:column`, perhaps in brackets. */
function relocateLine(text: string, lines: number): string {
  return text.replace(/([^\s()]+):(\d+):(\d+)(\)?)$/, (_, file: string, line: string, column: string, end: string) => {
    const at = relocate({ file, line: Number(line), column: Number(column) }, lines);
    return `${at.file}:${at.line}:${at.column}${end}`;
  });
}
