/** GBK, which older payment interfaces sign in. Node decodes it but does not encode it, so the decoder is inverted. */

/** Two-byte codes begin and end with these bytes. */
const LEAD = { first: 0x81, last: 0xfe } as const;
const TRAIL = { first: 0x40, last: 0xfe } as const;

/** What stands for a character that GBK does not have. */
const REPLACEMENT = 0x3f;

let codes: ReadonlyMap<string, number> | undefined;

/** The text's GBK bytes; characters without a code become `?`, as .NET writes them. */
export function encodeGbk(text: string): Buffer {
  codes ??= invertDecoder();
  const bytes: number[] = [];
  for (const character of text) {
    const unit = character.codePointAt(0) ?? REPLACEMENT;
    if (unit < 0x80) bytes.push(unit);
    else bytes.push(...bytesOf(codes.get(character)));
  }
  return Buffer.from(bytes);
}

function bytesOf(code: number | undefined): readonly number[] {
  return code === undefined ? [REPLACEMENT] : [code >> 8, code & 0xff];
}

function invertDecoder(): ReadonlyMap<string, number> {
  const decoder = new TextDecoder('gbk', { fatal: true });
  const inverted = new Map<string, number>();
  for (let lead = LEAD.first; lead <= LEAD.last; lead++) {
    for (let trail = TRAIL.first; trail <= TRAIL.last; trail++) {
      const character = decodeOne(decoder, lead, trail);
      if (character !== undefined && !inverted.has(character)) inverted.set(character, (lead << 8) | trail);
    }
  }
  return inverted;
}

function decodeOne(decoder: TextDecoder, lead: number, trail: number): string | undefined {
  try {
    return decoder.decode(Uint8Array.of(lead, trail));
  } catch {
    // No character has this code.
    return undefined;
  }
}
