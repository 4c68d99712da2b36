// The `V8` object of a run: its context members, and the host calls nested by their path.
(function defineV8Object(kit) {
  // `input` is the run's ScriptInput. What is not there reads as undefined.
  kit.makeV8 = (input) => {
    const v8 = {};
    const keys = ['Param', 'OsClient', 'CurrentUser', 'EventName', 'ApiEngineKey', 'InvokeType'];
    for (let i = 0; i < keys.length; i++) v8[keys[i]] = input[keys[i]];
    v8.DbTrans = kit.transaction;
    v8.Result = undefined;
    addHostCalls(v8, kit.callNames);
    return v8;
  };

  function addHostCalls(v8, callNames) {
    const families = { __proto__: null };
    for (let i = 0; i < callNames.length; i++) {
      const { family, member } = callNames[i];
      families[family] ??= {};
      families[family][member] = kit.makeHostCall(`${family}.${member}`, member);
    }
    for (const family in families) v8[family] = kit.freeze(families[family]);
  }
});
