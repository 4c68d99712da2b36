import { accept, type Parsed, refuse } from './errors.ts';

/** Elements below the root that are read; payment and chat services send some dozens. */
const MAX_ELEMENTS = 1000;

/** Longest tag. Characters. */
const MAX_TAG = 4096;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Reads an XML body as parameters: `<xml><a>1</a><b><![CDATA[x]]></b></xml>` is `{a: '1', b: 'x'}` (v8-surface.md 5.3).
 * A document type is refused: it can grow without end. Each character is looked at once, whatever a stranger sends.
 * Refusal: REQUEST_INVALID for what nests deeper or is not XML of this kind.
 */
export function readXmlFields(text: string): Parsed<Readonly<Record<string, string>>> {
  const reader = new XmlReader(text);
  const fields = new Map<string, string>();
  reader.skip();
  const root = reader.openTag();
  while (root !== undefined && !root.empty && !reader.closes(root.name)) {
    const element = reader.openTag();
    const value = element === undefined || element.empty ? '' : reader.textUntilClose(element.name);
    if (element === undefined || value === undefined || fields.size >= MAX_ELEMENTS) return refuseXml();
    fields.set(element.name, value);
    reader.skip();
  }
  reader.skip();
  fields.delete('__proto__');
  return root !== undefined && reader.isAtEnd ? accept(Object.fromEntries(fields)) : refuseXml();
}

/** A place in the text that only moves on. */
class XmlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Passes blanks, comments and declarations. */
  skip(): void {
    for (;;) {
      while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
      const closing = this.#sees('<!--') ? '-->' : this.#sees('<?') ? '?>' : undefined;
      const end = closing === undefined ? -1 : this.#text.indexOf(closing, this.#at);
      if (closing === undefined || end < 0) return;
      this.#at = end + closing.length;
    }
  }

  /** Passes `<name …>`; undefined when something else stands here. */
  openTag(): { readonly name: string; readonly empty: boolean } | undefined {
    const end = this.#text.indexOf('>', this.#at);
    if (end < 0 || end - this.#at > MAX_TAG) return undefined;
    const tag = this.#text.slice(this.#at, end + 1);
    const name = /^<([A-Za-z_][\w.:-]*)[\s/>]/.exec(tag)?.[1];
    if (name === undefined || tag.includes('<', 1)) return undefined;
    this.#at = end + 1;
    const empty = tag.endsWith('/>');
    if (!empty && !this.#hasText()) this.skip();
    return { name, empty };
  }

  /** Passes `</name>` where it stands here. */
  closes(name: string): boolean {
    if (!this.#sees('</')) return false;
    const end = this.#text.indexOf('>', this.#at);
    if (end < 0 || end - this.#at > MAX_TAG || this.#text.slice(this.#at + 2, end).trim() !== name) return false;
    this.#at = end + 1;
    return true;
  }

  /** Passes text and CDATA up to the closing tag, and that; undefined when another element stands in between. */
  textUntilClose(name: string): string | undefined {
    const parts: string[] = [];
    while (!this.isAtEnd) {
      if (this.#sees('<![CDATA[')) {
        const end = this.#text.indexOf(']]>', this.#at);
        if (end < 0) return undefined;
        parts.push(this.#text.slice(this.#at + 9, end));
        this.#at = end + 3;
      } else if (this.#sees('<')) {
        return this.closes(name) ? parts.join('') : undefined;
      } else {
        const next = this.#text.indexOf('<', this.#at);
        if (next < 0) return undefined;
        parts.push(this.#text.slice(this.#at, next).replace(/&(#?\w{1,8});/g, entityOf));
        this.#at = next;
      }
    }
    return undefined;
  }

  /** True where text of an element begins, whose blanks count. */
  #hasText(): boolean {
    const next = this.#text.indexOf('<', this.#at);
    return next >= 0 && (this.#text.startsWith('</', next) || this.#text.startsWith('<![', next));
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }
}

function entityOf(whole: string, name: string): string {
  const code = /^#(x?)([0-9a-f]+)$/i.exec(name);
  if (code === null) return ENTITIES.get(name) ?? whole;
  const point = Number.parseInt(code[2] ?? '', code[1] === '' ? 10 : 16);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
}

function refuseXml(): Parsed<never> {
  return refuse('REQUEST_INVALID', { field: 'body', rule: '<xml><a>…</a><b>…</b></xml>' });
}
