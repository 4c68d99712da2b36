// A text's UTF-8: the context has no TextEncoder.
(function defineUtf8Encoder(kit) {
  const REPLACEMENT = 0xfffd;

  // The UTF-8 of a text as a Uint8Array; half a surrogate pair becomes U+FFFD.
  kit.encodeUtf8 = (text) => {
    const bytes = new kit.Uint8ArrayConstructor(text.length * 3);
    let length = 0;
    for (let i = 0; i < text.length; i++) {
      const code = codePointAt(text, i);
      if (code > 0xffff) i++;
      length = writeCodePoint(bytes, length, code);
    }
    return kit.subarray(bytes, 0, length);
  };

  function codePointAt(text, position) {
    const unit = kit.charCodeAt(text, position);
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    const next = unit < 0xdc00 && position + 1 < text.length ? kit.charCodeAt(text, position + 1) : 0;
    return next >= 0xdc00 && next <= 0xdfff ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : REPLACEMENT;
  }

  function writeCodePoint(bytes, at, code) {
    if (code < 0x80) {
      bytes[at] = code;
      return at + 1;
    }
    const tails = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[at] = (tails === 1 ? 0xc0 : tails === 2 ? 0xe0 : 0xf0) | (code >> (6 * tails));
    for (let i = 1; i <= tails; i++) bytes[at + i] = 0x80 | ((code >> (6 * (tails - i))) & 0x3f);
    return at + tails + 1;
  }
});
