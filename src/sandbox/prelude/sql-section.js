// `FromSql` of `V8.Db`, `V8.DbRead` and `V8.DbTrans`: a chain that collects the parameters of one statement
// (v8-surface.md 4.2). What ends it is sql-endings.js.
(function defineSqlSection(kit) {
  const SECTION = { __proto__: null };

  for (const name in { __proto__: null, Db: 0, DbRead: 0, DbTrans: 0 }) {
    const send = kit.makeHostCall(`${name}.FromSql`, 'FromSql');
    kit.addFamilyMember(`${name}.FromSql`, kit.publicFunction('FromSql', fromSql, send));
  }

  function fromSql(send, text) {
    const section = kit.setPrototypeOf({}, SECTION);
    kit.cur.sqlSections ??= new kit.WeakMapConstructor();
    kit.weakMapSet(kit.cur.sqlSections, section, { __proto__: null, send, text, parameters: [], seconds: null });
    return section;
  }

  // The section's own state; a look-alike has none.
  function stateOf(section) {
    const sections = kit.cur.sqlSections;
    const state = sections === undefined || !kit.isObject(section) ? undefined : kit.weakMapGet(sections, section);
    if (state === undefined)
      throw new kit.ErrorConstructor('FromSql: 请在 FromSql(…) 的结果上调用 / call it on FromSql(…)');
    return state;
  }

  // A function that gets `this` as its first argument. A proxy, like a bound function, shows no source.
  function addMethod(name, implementation) {
    const apply = (_target, self, values) => kit.apply(implementation, undefined, withSelf(self, values));
    SECTION[name] = new kit.ProxyConstructor(kit.publicFunction(name, implementation), { __proto__: null, apply });
  }

  function withSelf(self, values) {
    const all = [self];
    for (let i = 0; i < values.length; i++) kit.defineEntry(all, i + 1, values[i]);
    return all;
  }

  // (name, value), (name, type, value) or (name, type, size, value): the last one is the value.
  function addParameter(section, ...values) {
    if (values.length < 2) throw new kit.ErrorConstructor('AddInParameter(名称, 值) / AddInParameter(name, value)');
    push(stateOf(section), values[0], values[values.length - 1]);
    return section;
  }

  // The platform's parameter objects.
  function addParameters(section, ...parameters) {
    const state = stateOf(section);
    for (let i = 0; i < parameters.length; i++) push(state, parameters[i].ParameterName, parameters[i].Value);
    return section;
  }

  function push(state, name, value) {
    const { parameters } = state;
    kit.defineEntry(parameters, parameters.length, {
      __proto__: null,
      Name: kit.string(name),
      Value: plainValue(value),
    });
  }

  // A date is its local text, a BigInt its digits. What is not there is NULL, as on the platform.
  function plainValue(value) {
    if (typeof value === 'bigint') return kit.string(value);
    return isDate(value) ? kit.formatDate(value) : value;
  }

  function isDate(value) {
    try {
      kit.date.getTime(value);
      return true;
    } catch {
      return false;
    }
  }

  function setTimeoutSeconds(section, seconds) {
    stateOf(section).seconds = seconds;
    return section;
  }

  addMethod('AddInParameter', addParameter);
  addMethod('AddSensitiveInParameter', addParameter);
  addMethod('AddParameter', addParameters);
  addMethod('SetCommandTimeout', setTimeoutSeconds);
  kit.sqlSection = { __proto__: null, methods: SECTION, addMethod, stateOf, open: fromSql };
});
