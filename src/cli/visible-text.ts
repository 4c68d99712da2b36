/**
 * Text of a stranger (a script's error, a message) as it may go to a terminal: control characters are shown as
 * `\x1b` instead of being obeyed, line breaks too, so that one value stays on its line.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, escapeCharacter);
}

/** A text of several lines, such as an error with its stack: each line by itself, indented to show that it belongs. */
export function visibleLines(text: string, indent = ''): string[] {
  return text.split(/\r?\n/).map((line) => `${indent}${visibleText(line)}`);
}

/** The first line of a text for a table, shortened to `most` characters. */
export function firstLine(text: string, most = 100): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return ' ';
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
}
