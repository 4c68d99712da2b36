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
