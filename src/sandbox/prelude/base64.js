// V8.Base64 (v8-surface.md 6.5): texts, by way of their UTF-8.
(function defineBase64(kit) {
  // Null and undefined come back as they are.
  function stringToBase64(value) {
    return value === null || value === undefined ? value : kit.encodeBase64(kit.encodeUtf8(kit.string(value)));
  }

  // What is no Base64 comes back unchanged, so that scripts can decode what may be plain. Only length, alphabet and
  // padding tell: plain words of 4, 8, 12 letters are decoded, too.
  function base64ToString(value) {
    const bytes = typeof value === 'string' ? kit.decodeBase64(value) : undefined;
    return bytes === undefined ? value : kit.decodeUtf8(bytes);
  }

  kit.addFamilyMember('Base64.StringToBase64', kit.publicFunction('StringToBase64', stringToBase64));
  kit.addFamilyMember('Base64.Base64ToString', kit.publicFunction('Base64ToString', base64ToString));
});
