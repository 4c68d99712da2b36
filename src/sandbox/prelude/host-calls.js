// One plain function per host call. It is synchronous, takes and gives JSON, and never throws: what cannot be sent is
// answered by a DosResult with Code 0. Its `Async` twin returns a promise of the same answer.
(function defineHostCalls(kit) {
  for (let i = 0; i < kit.hostCalls.length; i++) addHostCall(kit.hostCalls[i]);

  // A function for a host call, for parts that put one elsewhere than at its own path.
  kit.makeHostCall = (name, member) => kit.publicFunction(member, callHost, name);

  function addHostCall({ name, async, chain, inner }) {
    if (chain || inner) return;
    const member = kit.slice(name, kit.lastIndexOf(name, '.') + 1);
    kit.addFamilyMember(name, kit.publicFunction(member, callHost, name));
    if (async !== undefined) {
      kit.addFamilyMember(`${name}Async`, kit.publicFunction(`${member}Async`, callHostAsync, name));
    }
  }

  async function callHostAsync(name, ...values) {
    return sendCall(name, values);
  }

  function callHost(name, ...values) {
    return sendCall(name, values);
  }

  function sendCall(name, values) {
    let args;
    try {
      args = kit.encodeArguments(name, values);
    } catch (error) {
      return refuse('PARAM_INVALID', { field: name, rule: kit.describe(error, 500) }, values);
    }
    const limit = kit.cur.caps.argumentBytes;
    if (args.length > limit) {
      return refuse('V8_RESULT_TOO_LARGE', { what: `${name}()`, size: args.length, limit }, values);
    }
    return kit.parse(kit.bridge.call(name, args));
  }

  // The failed DosResult of a call that does not reach the host.
  kit.refuse = refuse;

  function refuse(code, params, values) {
    return kit.parse(kit.bridge.refuse(code, kit.stringify(params), languageOf(values)));
  }

  // `_Lang` or `lang` beginning with `en` asks for English, as in every call that reaches the host.
  function languageOf(values) {
    for (let i = 0; i < values.length; i++) {
      const lang = readLanguage(values[i]);
      if (lang !== undefined) return kit.startsWith(kit.toLowerCase(lang), 'en') ? 'en' : 'zh';
    }
    return 'zh';
  }

  function readLanguage(value) {
    try {
      const lang = kit.isObject(value) ? (value._Lang ?? value.lang) : undefined;
      return typeof lang === 'string' ? lang : undefined;
    } catch {
      return undefined;
    }
  }
});
