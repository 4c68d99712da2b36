// System.Convert and System.Text.Encoding (v8-surface.md 6.7): bytes are plain arrays of numbers.
(function defineConvert(kit) {
  function toBase64String(bytes) {
    return kit.encodeBase64(requireBytes(bytes, 'Convert.ToBase64String'));
  }

  function fromBase64String(text) {
    const bytes = typeof text === 'string' ? kit.decodeBase64(kit.trim(text)) : undefined;
    if (bytes === undefined) throw new kit.ErrorConstructor('FromBase64String: 不是 Base64 / the text is no Base64');
    return kit.byteList(bytes);
  }

  const getBytes = (text) => kit.byteList(kit.encodeUtf8(kit.string(text)));
  const getString = (bytes) => kit.decodeUtf8(requireBytes(bytes, 'Encoding.UTF8.GetString'));

  function requireBytes(value, member) {
    const bytes = kit.readBytes(value);
    if (bytes === undefined) {
      throw new kit.ErrorConstructor(`${member}: 须为字节数组（0 到 255） / it takes bytes, numbers from 0 to 255`);
    }
    return bytes;
  }

  const system = {};
  kit.system = system;
  system.Convert = {
    ToBase64String: kit.publicFunction('ToBase64String', toBase64String),
    FromBase64String: kit.publicFunction('FromBase64String', fromBase64String),
  };
  system.Text = {
    Encoding: {
      UTF8: {
        GetBytes: kit.publicFunction('GetBytes', getBytes),
        GetString: kit.publicFunction('GetString', getString),
      },
    },
  };
});
