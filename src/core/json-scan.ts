/**
 * Reading JSON text without building values: what JSON.parse cannot say (depth before recursion, the exact text of a
 * member). Both walks are iterative and linear. They trust nothing but quotes and brackets, so they are safe on text
 * that is not JSON; what they say about such text has no meaning.
 */

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Index of the bracket that opens level `limit + 1`; undefined when the text is not nested that deep. */
export function findTooDeep(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > limit) return at;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return undefined;
}

/**
 * Index of the comma or bracket that brings value `limit + 1`, before one is built; undefined when there are not so many.
 * Each value but the first of a list or object follows a comma. An empty list counts for two, on the safe side.
 */
export function findTooMany(text: string, limit: number): number | undefined {
  // Each takes a character at least, so nearly every text is done here.
  if (text.length <= limit) return undefined;
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) {
      count += 1;
      if (count > limit) return at;
    }
  }
  return undefined;
}

/** A member of an object, by the source text of its value. */
export interface MemberText {
  readonly name: string;
  readonly text: string;
}

/** The top-level members of valid JSON text in source order, duplicates included; empty when it is no object. */
export function topLevelMembers(json: string): readonly MemberText[] {
  const members: MemberText[] = [];
  let at = json.search(/[^\s\uFEFF]/);
  if (at < 0 || json.charCodeAt(at) !== OPEN_BRACE) return members;
  for (at = json.indexOf('"', at); at >= 0; at = json.indexOf('"', at)) {
    const nameEnd = endOfString(json, at);
    const colon = json.indexOf(':', nameEnd);
    const valueEnd = endOfValue(json, colon + 1);
    members.push({
      name: JSON.parse(json.slice(at, nameEnd + 1)) as string,
      text: json.slice(colon + 1, valueEnd).trim(),
    });
    if (json.charCodeAt(valueEnd) !== COMMA) break;
    at = valueEnd;
  }
  return members;
}

/** Index of the comma or closing brace behind the value that starts at `from`. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (depth === 0 && (code === COMMA || code === CLOSE_BRACE)) return at;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return json.length;
}

/** Index of the quote that ends the string which starts at `open`; the text's last index when none does. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at, open)) return at;
  }
  return text.length - 1;
}

function isEscaped(text: string, quote: number, open: number): boolean {
  let backslashes = 0;
  while (quote - 1 - backslashes > open && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
