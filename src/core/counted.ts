/** How many of a thing, in English: `1 dead letter`, `2 dead letters`. `noun` is the singular of a regular noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
