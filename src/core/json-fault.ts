/**
 * Where text stops being JSON. The engine's own message quotes the payload and often has no position, so it cannot be
 * shown; this runs only after JSON.parse refused. It recurses: check the depth first (json-scan.ts).
 */

/** Index of the first character that no JSON text could have there; the text's length when it ends too early. */
export function findJsonFault(text: string): number {
  const walk = new JsonWalk(text);
  walk.space();
  if (walk.value()) walk.space();
  return walk.at;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** From the blank on, without the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Steps over JSON. Each step answers whether it succeeded; after a failure `at` is the fault. */
class JsonWalk {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  space(): void {
    this.#skip(SPACE);
  }

  value(): boolean {
    switch (this.#text[this.at]) {
      case '{':
        return this.#list('}', () => this.#member());
      case '[':
        return this.#list(']', () => this.value());
      case '"':
        return this.#string();
      default:
        return this.#skip(SCALAR);
    }
  }

  #list(close: string, item: () => boolean): boolean {
    this.at += 1;
    this.space();
    if (this.#take(close)) return true;
    for (;;) {
      if (!item()) return false;
      this.space();
      if (this.#take(close)) return true;
      if (!this.#take(',')) return false;
      this.space();
    }
  }

  #member(): boolean {
    if (this.#text[this.at] !== '"' || !this.#string()) return false;
    this.space();
    if (!this.#take(':')) return false;
    this.space();
    return this.value();
  }

  #string(): boolean {
    this.at += 1;
    while (this.#skip(PLAIN) || this.#skip(ESCAPE));
    return this.#take('"');
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }
}
