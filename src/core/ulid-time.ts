const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of a ULID that hold its time. */
const TIME_LENGTH = 10;

/** The moment a ULID was made, in milliseconds since 1970 UTC; undefined when the text is no ULID. */
export function ulidTime(ulid: string): number | undefined {
  if (ulid.length !== 26) return undefined;
  let time = 0;
  for (const character of ulid.slice(0, TIME_LENGTH).toUpperCase()) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    time = time * 32 + digit;
  }
  return time;
}

/** The lowest ULID of a moment in milliseconds since 1970 UTC. */
export function ulidAt(time: number): string {
  let text = '';
  for (let left = Math.max(0, Math.floor(time)), digits = 0; digits < TIME_LENGTH; digits++) {
    text = (ALPHABET[left % 32] ?? '0') + text;
    left = Math.floor(left / 32);
  }
  return text.padEnd(26, '0');
}
