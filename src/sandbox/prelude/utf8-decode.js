// The text of UTF-8 bytes: the context has no TextDecoder.
(function defineUtf8Decoder(kit) {
  const REPLACEMENT = 0xfffd;

  // The text of UTF-8 bytes; every ill-formed stretch becomes U+FFFD.
  kit.decodeUtf8 = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; ) {
      const { code, length } = readCodePoint(bytes, i);
      text += code > 0xffff ? surrogatePair(code - 0x10000) : kit.fromCharCode(code);
      i += length;
    }
    return text;
  };

  function surrogatePair(offset) {
    return kit.fromCharCode(0xd800 + (offset >> 10), 0xdc00 + (offset & 0x3ff));
  }

  function readCodePoint(bytes, at) {
    const lead = bytes[at];
    if (lead < 0x80) return { __proto__: null, code: lead, length: 1 };
    const tails =
      lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0;
    let code = lead & (0x3f >> tails);
    for (let i = 1; i <= tails; i++) {
      if (!isTail(bytes[at + i], lead, i)) return { __proto__: null, code: REPLACEMENT, length: i };
      code = (code << 6) | (bytes[at + i] & 0x3f);
    }
    return tails === 0
      ? { __proto__: null, code: REPLACEMENT, length: 1 }
      : { __proto__: null, code, length: tails + 1 };
  }

  // The second byte is bounded by the first: no over-long forms, no surrogates, nothing beyond U+10FFFF.
  function isTail(byte, lead, position) {
    const low = position > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = position > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    return byte >= low && byte <= high;
  }
});
