/** Engines shown of a path that does not repeat. */
const SHOWN = 6;

/**
 * The end of a path of engines that call each other, for people: `a → b → a → …` when it goes in a circle, else its
 * last engines.
 */
export function describeCallPath(path: readonly string[]): string {
  const period = periodOf(path);
  if (period === undefined) return path.slice(-SHOWN).join(' → ');
  const circle = path.slice(-period);
  return [...circle, circle[0] ?? '', '…'].join(' → ');
}

/** Length of the shortest circle that the path's last calls went through twice. */
function periodOf(path: readonly string[]): number | undefined {
  for (let period = 1; period * 2 <= path.length; period++) {
    const last = path.slice(-period);
    const before = path.slice(-period * 2, -period);
    if (last.every((key, position) => key === before[position])) return period;
  }
  return undefined;
}
