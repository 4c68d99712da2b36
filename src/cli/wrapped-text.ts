import { displayWidth } from './text-table.ts';
import { visibleText } from './visible-text.ts';

/** What stays together: a word, or a Chinese character with the signs that close behind it; blanks belong to it. */
const PIECE = /(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[，。、；：？！）”》]*\s*|\s+/gu;

/**
 * A text as lines of at most `width` columns of a terminal. Lines break between words, Chinese ones anywhere but before a
 * closing sign; a word that is longer stays whole. Control characters are made visible.
 */
export function wrappedLines(text: string, width: number): string[] {
  return piecesAsLines(visibleText(text).match(PIECE) ?? [], width);
}

/** The same of pieces that must not be broken themselves, each with the blank behind it. */
export function piecesAsLines(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && displayWidth((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

/**
 * Pairs of a name and what it means, as lines of at most `width` columns. Meanings stand under each other; one whose name
 * is longer than `longestName` begins on the next line.
 */
export function definitionLines(
  pairs: readonly (readonly [name: string, meaning: string])[],
  { width, longestName }: { readonly width: number; readonly longestName: number },
): string[] {
  const widths = pairs.map(([name]) => displayWidth(name)).filter((each) => each <= longestName);
  const column = Math.max(0, ...widths) + 2;
  return pairs.flatMap(([name, meaning]) => {
    const told = wrappedLines(meaning, width - column).map((line) => ' '.repeat(column) + line);
    const shown = visibleText(name);
    const first = told[0] ?? '';
    if (displayWidth(shown) > column - 2) return [shown, ...told];
    return [(shown + first.slice(displayWidth(shown))).trimEnd(), ...told.slice(1)];
  });
}
