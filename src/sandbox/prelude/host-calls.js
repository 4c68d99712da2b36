// One plain function per host call. It is synchronous, takes and gives JSON, and never throws: what cannot be sent is
// answered by a DosResult with Code 0.
(function defineHostCalls(kit) {
  // A function for a host call, for parts that put one elsewhere than at its own path.
  kit.makeHostCall = (name, member) => kit.publicFunction(member, callHost, name);

  for (let i = 0; i < kit.hostCalls.length; i++) addHostCall(kit.hostCalls[i]);

  function addHostCall({ name, async, chain, inner }) {
    if (chain || inner) return;
    const member = kit.slice(name, kit.lastIndexOf(name, '.') + 1);
    kit.addFamilyMember(name, kit.makeHostCall(name, member));
    if (async !== undefined) kit.addFamilyMember(`${name}Async`, kit.makeAsyncCall(name, member));
  }

  function callHost(name, ...values) {
    const run = kit.cur;
    const { args, refusal } = kit.prepareCall(run, name, values);
    return refusal === undefined ? kit.parse(kit.bridge.call(name, args)) : refusal;
  }

  // The arguments of a call as JSON, or the answer it gets without being sent.
  kit.prepareCall = (run, name, values) => {
    if (run.over) return refuseLate(run, name, values);
    let args;
    try {
      args = kit.encodeArguments(name, values);
    } catch (error) {
      return refused('PARAM_INVALID', { __proto__: null, field: name, rule: kit.describe(error, 500) }, values);
    }
    const limit = run.caps.argumentBytes;
    if (args.length <= limit) {
      kit.noteBesideOnce(run, name, args);
      return { __proto__: null, args };
    }
    return refused('V8_RESULT_TOO_LARGE', { __proto__: null, what: `${name}()`, size: args.length, limit }, values);
  };

  function refuseLate(run, name, values) {
    kit.noteLate(run, `V8.${name}()`);
    return refused('LATE_EFFECT', { __proto__: null, what: `V8.${name}()` }, values);
  }

  function refused(code, params, values) {
    return { __proto__: null, refusal: refuse(code, params, values) };
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
