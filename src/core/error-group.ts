/** Dead letters with one cause have one group, although their error texts name different orders, times and lines. */

/** Longest text that decides a group; what follows is a stack or a value. */
const MAX_PATTERN = 300;

/** Values that differ from message to message, in the order in which they are replaced. */
const VALUES: readonly (readonly [pattern: RegExp, name: string])[] = [
  // Where a script threw (v8-surface.md 5.5) moves with every edit above it.
  [/ ?\[行:\d+, 列:\d+\]$/, ''],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  // A quoted text with a digit is a value; one without is the name of a column or a rule.
  [/(["'`“‘])[^"'`”’]*\d[^"'`”’]*(["'`”’])/g, '<text>'],
];

/** Words, those with inner hyphens, dots and the like taken as one. */
const WORDS = /[\p{L}\d_]+(?:[-_:/.][\p{L}\d_]+)*/gu;

/** Words after which a number says what happened and so belongs to the cause, such as `HTTP 404`. */
const TELLING = /(?:\b(?:http|code|errno|status|sqlstate)\W{0,2})$/i;

/**
 * The part of an error text that tells its cause: the first line with ids, numbers, times and quoted values replaced.
 * Texts of one cause have equal patterns.
 */
export function errorPattern(error: string): string {
  const line = (error.split('\n', 1)[0] ?? '').slice(0, MAX_PATTERN);
  const known = VALUES.reduce((text, [value, name]) => text.replace(value, name), line);
  return withoutIds(known).replace(/\s+/g, ' ').trim();
}

/** Words with digits: numbers are `<n>`, anything else `<id>`. */
function withoutIds(text: string): string {
  return text.replace(WORDS, (word: string, offset: number) => {
    if (!/\d/.test(word) || TELLING.test(text.slice(0, offset))) return word;
    return /^\d+(?:[.:]\d+)*$/.test(word) ? '<n>' : '<id>';
  });
}

/** Name of the group of dead letters with this reason and cause: 16 hexadecimal digits. */
export function errorGroup(reason: string, error: string): string {
  const text = `${reason}\n${errorPattern(error)}`;
  return hash32(text, 0x811c9dc5) + hash32(text, 0x01234567);
}

/** FNV-1a over UTF-16 units: a label, nothing that anybody must not be able to forge. */
function hash32(text: string, seed: number): string {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
