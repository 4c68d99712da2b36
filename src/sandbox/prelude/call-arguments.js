// The arguments of a host call as JSON, and what is refused before it is sent.
(function defineCallArguments(kit) {
  const TRANSACTION_MARK = '"$trans"';

  // A JSON array, cut short once it is longer than a call may be. Throws what the script's values throw.
  kit.encodeArguments = (name, values) => {
    if (kit.includes(name, 'ByWhere')) refuseUndefinedConditions(values);
    let json = '[';
    for (let i = 0; i < values.length && json.length <= kit.cur.caps.argumentBytes; i++) {
      json += (i > 0 ? ',' : '') + encodeArgument(values[i]);
    }
    return `${json}]`;
  };

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
});
