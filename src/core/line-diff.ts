/** A line of a comparison of two texts: kept, only in the first, only in the second. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Cells of the table that finds common lines; texts that differ in more than that are shown as replaced. */
const MAX_CELLS = 4_000_000;

/**
 * What must change in a text to make it another one, line by line.
 * @param around kept lines that are shown beside each change. @returns the changes and those lines; `undefined` stands
 * between two changes where lines were left out. Nothing for equal texts.
 */
export function changedLines(before: string, after: string, around: number): readonly (DiffLine | undefined)[] {
  // Long texts mostly agree: only what is between their common ends is made into lines.
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const middle = (text: string) => text.slice(head, text.length - tail);
  return besideChanges(
    [
      ...lastLines(before.slice(0, head), around).map(kept),
      ...diffLines(middle(before).split('\n'), middle(after).split('\n')),
      ...firstLines(before.slice(before.length - tail), around).map(kept),
    ],
    around,
  );
}

/** Length of the whole lines, each with its line break, with which both texts begin. */
function commonHead(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return before.slice(0, at).lastIndexOf('\n') + 1;
}

/** Length of the whole lines, each behind its line break, with which both texts end, behind their common beginning. */
function commonTail(before: string, after: string, head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let length = 0;
  while (length < most && before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length))
    length++;
  const breakAt = before.indexOf('\n', before.length - length);
  return breakAt < 0 ? 0 : before.length - breakAt;
}

/** @param text empty, or lines with a break after each. */
function lastLines(text: string, most: number): string[] {
  let from = text.length;
  for (let lines = 0; lines < most && from > 0; lines++) from = text.lastIndexOf('\n', from - 2) + 1;
  return from === text.length ? [] : text.slice(from, -1).split('\n');
}

/** @param text empty, or lines with a break before each. */
function firstLines(text: string, most: number): string[] {
  let to = 0;
  for (let lines = 0; lines < most && to < text.length; lines++) {
    const next = text.indexOf('\n', to + 1);
    to = next < 0 ? text.length : next;
  }
  return to === 0 ? [] : text.slice(1, to).split('\n');
}

function kept(text: string): DiffLine {
  return { sign: ' ', text };
}

function diffLines(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [
    ...a.slice(0, head).map(kept),
    ...compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(kept),
  ];
}

/** By the longest common subsequence. */
function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = a.map((text): DiffLine => ({ sign: '-', text }));
  const added = b.map((text): DiffLine => ({ sign: '+', text }));
  const width = b.length + 1;
  if (a.length === 0 || b.length === 0 || (a.length + 1) * width > MAX_CELLS) return [...removed, ...added];
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const down = common[(i + 1) * width + j] ?? 0;
      const right = common[i * width + j + 1] ?? 0;
      const both = (common[(i + 1) * width + j + 1] ?? 0) + 1;
      common[i * width + j] = a[i] === b[j] ? both : Math.max(down, right);
    }
  }
  return walk(a, b, common);
}

function walk(a: readonly string[], b: readonly string[], common: Uint32Array): DiffLine[] {
  const width = b.length + 1;
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] ?? '' });
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push({ sign: '-', text: a[i++] ?? '' });
    } else lines.push({ sign: '+', text: b[j++] ?? '' });
  }
  return lines;
}

/** Each line is looked at once, however much is shown around the changes. */
function besideChanges(lines: readonly DiffLine[], around: number): readonly (DiffLine | undefined)[] {
  const shown: (DiffLine | undefined)[] = [];
  // Of the lines that are being shown together, the first, and the one behind the last.
  let [from, to] = [0, 0];
  const show = (): void => {
    for (let at = from; at < to; at++) shown.push(lines[at]);
  };
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    if (at - around > to) {
      show();
      if (shown.length > 0) shown.push(undefined);
      from = at - around;
    }
    to = Math.min(at + around + 1, lines.length);
  }
  show();
  return shown;
}
