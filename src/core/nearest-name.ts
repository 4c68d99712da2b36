/**
 * The known name that a mistyped one most likely meant: at most a third of its letters (and at most three) need to
 * change. Any case. Undefined when nothing is near enough to be worth suggesting.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.min(3, Math.floor(typed.length / 3)));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const name of known) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Letters to add, remove, replace or swap with their neighbour. Rows of the usual table, the last two kept. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const replace = at(last, column - 1) + (same ? 0 : 1);
      const swap = swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replace, swap, at(last, column) + 1, at(current, column - 1) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
