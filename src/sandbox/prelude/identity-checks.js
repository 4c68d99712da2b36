// Makes the functions that compare the value of every changeable property of an open object with the recorded one. They
// are made for the second run of a context, when a script has run: many a context has only one run.
(function defineIdentityChecks(kit) {
  const { records } = kit;
  const lookupGetter = kit.uncurryThis(Object.prototype.__lookupGetter__);
  // The engine keeps functions of this size fast; one of all comparisons would be ten times slower.
  const MOST_COMPARISONS = 40;
  const PARAMETERS = 'object, keys, values, hasOwn, lookupGetter';

  for (let i = 0; i < records.length; i++) records[i].presence = presenceOf(records[i]);

  // How the presence of a property is asked: '' not at all, because its value tells; 'in'; or 'own', where the prototype
  // has one of that name, too, which would be read when this one was deleted.
  function presenceOf(record) {
    const { prototype, keys, values } = record;
    const presence = [];
    for (let i = 0; i < keys.length; i++) {
      const inherited = prototype !== null && keys[i] in prototype;
      const told =
        !kit.isAccessor(record, i) && values[i] !== undefined && !(inherited && prototype[keys[i]] === values[i]);
      presence[i] = told ? '' : inherited ? 'own' : 'in';
    }
    return presence;
  }

  kit.makeIdentityChecks = () => {
    const made = [];
    for (let i = 0; i < records.length; i++) {
      const { object, keys, values } = records[i];
      for (let at = 0; at < keys.length; ) {
        const { text, end } = comparisons(records[i], at);
        at = end;
        const make = new kit.FunctionConstructor(PARAMETERS, text);
        kit.defineEntry(made, made.length, make(object, keys, values, kit.hasOwn, lookupGetter));
      }
    }
    return made;
  };

  // The text of a function that compares the properties from `at` on, and where the next one begins.
  function comparisons(record, at) {
    let constants = '';
    let tests = 'true';
    let end = at;
    for (let tested = 0; end < record.keys.length && tested < MOST_COMPARISONS; end++) {
      if (record.keys[end] === kit.PER_RUN || !kit.isChangeable(record, end)) continue;
      tested += 1;
      constants += `const key${end} = keys[${end}], value${end} = values[${end}];`;
      tests += ` && ${comparison(record, end)}`;
    }
    return { __proto__: null, text: `${constants} return () => ${tests};`, end };
  }

  function comparison(record, i) {
    const isSymbol = typeof record.keys[i] === 'symbol';
    const name = isSymbol ? `key${i}` : kit.stringify(record.keys[i]);
    // Deleted and then assigned, a symbol is counted as before; a name would be one more among the enumerable.
    if (isSymbol && kit.isAccessor(record, i)) return `lookupGetter(object, ${name}) === value${i}`;
    const presence = record.presence[i];
    const test = presence === 'own' ? `hasOwn(object, ${name})` : presence === 'in' ? `${name} in object` : '';
    if (kit.isAccessor(record, i)) return test;
    const same = `object[${name}] === value${i}`;
    return test === '' ? same : `${test} && ${same}`;
  }
});
