/**
 * Text of a stranger (a script's error, a message) as it may go to a terminal: control characters are shown as
 * `\x1b` instead of being obeyed, line breaks too, so that one value stays on its line.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return ' ';
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
}
