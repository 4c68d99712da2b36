// Bytes as scripts have them, plain arrays of numbers as the platform gives them, and their Base64.
(function defineBytes(kit) {
  // Bytes for a script.
  kit.byteList = (bytes) => kit.arraySlice(bytes);

  // Bytes of a script: an array of whole numbers from 0 to 255 or a Uint8Array; undefined for anything else.
  kit.readBytes = (value) => {
    if (!kit.isObject(value)) return undefined;
    const length = value.length;
    if (typeof length !== 'number' || !(length >= 0) || length > 0x7fffffff || kit.trunc(length) !== length)
      return undefined;
    const bytes = new kit.Uint8ArrayConstructor(length);
    for (let i = 0; i < length; i++) {
      const byte = value[i];
      if (typeof byte !== 'number' || !(byte >= 0 && byte <= 255) || kit.trunc(byte) !== byte) return undefined;
      bytes[i] = byte;
    }
    return bytes;
  };

  // Base64 of bytes, and bytes of Base64; undefined when a text is no Base64 by length, alphabet and padding.
  kit.encodeBase64 = (bytes) => kit.toBase64(bytes);
  kit.decodeBase64 = (text) => (isBase64(text) ? kit.fromBase64(text) : undefined);

  function isBase64(text) {
    if (text.length % 4 !== 0) return false;
    let end = text.length;
    while (end > 0 && text.length - end < 2 && text[end - 1] === '=') end--;
    for (let i = 0; i < end; i++) if (!isBase64Unit(kit.charCodeAt(text, i))) return false;
    return true;
  }

  function isBase64Unit(unit) {
    const isLetter = (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
    return isLetter || (unit >= 48 && unit <= 57) || unit === 43 || unit === 47;
  }
});
