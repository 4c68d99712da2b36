// One plain function per host call. It is synchronous, takes and gives JSON, and never throws: what cannot be sent is
// answered by a DosResult with Code 0.
(function defineHostCalls(kit) {
  const TRANSACTION_MARK = '"$trans"';

  // Stands for the run's platform transaction when a script passes it on; the host decides when it commits.
  kit.transaction = makeTransaction();

  kit.makeHostCall = (name, member) => kit.publicFunction(member, callHost, name);

  function callHost(name, ...values) {
    let args;
    try {
      if (kit.includes(name, 'ByWhere')) refuseUndefinedConditions(values);
      args = encodeArguments(values);
    } catch (error) {
      return refuse('PARAM_INVALID', { field: name, rule: kit.describe(error, 500) }, values);
    }
    if (args.length > kit.caps.argumentBytes) {
      return refuse(
        'V8_RESULT_TOO_LARGE',
        { what: `${name}()`, size: args.length, limit: kit.caps.argumentBytes },
        values,
      );
    }
    return kit.parse(kit.bridge.call(name, args));
  }

  function encodeArguments(values) {
    let json = '[';
    for (let i = 0; i < values.length && json.length <= kit.caps.argumentBytes; i++) {
      json += (i > 0 ? ',' : '') + encodeArgument(values[i]);
    }
    return `${json}]`;
  }

  function encodeArgument(value) {
    if (value === kit.transaction) return '{"$trans":true}';
    const json = kit.stringify(value);
    if (json === undefined) return 'null';
    // JSON writes NaN and Infinity as null; a column that was never meant to be emptied would be.
    if (kit.includes(json, 'null')) kit.stringify(value, refuseNonFinite);
    return kit.includes(json, TRANSACTION_MARK) ? withoutTransactionMark(json) : json;
  }

  // A condition on a value that is not there would become IS NULL, and a write would hit rows nobody meant.
  function refuseUndefinedConditions(values) {
    for (let i = 0; i < values.length; i++) {
      const where = kit.isObject(values[i]) ? values[i]._Where : undefined;
      if (kit.isObject(where)) kit.stringify(where, refuseUndefined);
    }
  }

  function refuseUndefined(key, value) {
    if (value !== undefined) return value;
    throw new kit.ErrorConstructor(`_Where ${key}: undefined，请先检查参数 / check the parameter first`);
  }

  function refuseNonFinite(key, value) {
    if (typeof value !== 'number' || kit.isFinite(value)) return value;
    throw new kit.ErrorConstructor(`${key}: ${kit.string(value)} 不是有限的数 / is no finite number`);
  }

  // Only the object itself, by identity, stands for the transaction; a look-alike is a plain object without the key.
  function withoutTransactionMark(json) {
    const copy = kit.parse(json);
    if (!kit.isObject(copy) || kit.isArray(copy) || !kit.hasOwn(copy, '$trans')) return json;
    delete copy.$trans;
    // Else a toJSON planted on Object.prototype would be asked and could bring the key back.
    return kit.stringify(kit.setPrototypeOf(copy, null));
  }

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

  function makeTransaction() {
    const transaction = {};
    const nothing = () => undefined;
    const members = ['Commit', 'Rollback', 'Close', 'Dispose'];
    for (let i = 0; i < members.length; i++) transaction[members[i]] = kit.publicFunction(members[i], nothing);
    return kit.freeze(transaction);
  }
});
