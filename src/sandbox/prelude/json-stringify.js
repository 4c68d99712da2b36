// V8.Method.JsonStringify and JsonStringifyIndented (v8-surface.md 6.3): JSON without members that are null.
(function defineJsonStringify(kit) {
  function withoutNull(_key, value) {
    if (!kit.isObject(value) || kit.isArray(value)) return value;
    const kept = {};
    const keys = kit.keys(value);
    for (let i = 0; i < keys.length; i++) {
      const member = value[keys[i]];
      if (member !== null) kit.defineVisible(kept, keys[i], member);
    }
    return kept;
  }

  const jsonStringify = (value) => kit.stringify(value, withoutNull);
  const jsonStringifyIndented = (value) => kit.stringify(value, withoutNull, 2);

  kit.addFamilyMember('Method.JsonStringify', kit.publicFunction('JsonStringify', jsonStringify));
  kit.addFamilyMember(
    'Method.JsonStringifyIndented',
    kit.publicFunction('JsonStringifyIndented', jsonStringifyIndented),
  );
});
