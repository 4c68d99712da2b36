// Functions that compare the value of every changeable property of an open object with the recorded one. Their texts are
// the same in every context: a lane writes them once (prelude-source.ts), and every context finds them as functions, which
// an isolate compiles once for all its contexts. They are closed over the records for the second run of a context, when a
// script has run: many a context has only one run.
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

  // The text of `kit.identityMakers`: whose properties each function compares, and up to which of them.
  kit.writeIdentityMakers = () => {
    let text = '';
    for (let i = 0; i < records.length; i++) {
      for (let at = 0; at < records[i].keys.length; ) {
        const { make, end } = comparisons(records[i], at);
        text += `{ __proto__: null, record: ${i}, end: ${end}, make: (${make}) },\n`;
        at = end;
      }
    }
    return `[${text}]`;
  };

  // Nothing when a record has other properties than the texts were written for: this context is never proved clean then.
  kit.makeIdentityChecks = () => {
    const made = [];
    let compared = 0;
    for (let i = 0; i < kit.identityMakers.length; i++) {
      const { record, end, make } = kit.identityMakers[i];
      const { object, keys, values } = records[record];
      if (end === keys.length) compared += 1;
      kit.defineEntry(made, i, make(object, keys, values, kit.hasOwn, lookupGetter));
    }
    return compared === records.length ? made : undefined;
  };

  // A function that compares the properties from `at` on, and where the next one begins. The brackets around functions
  // have the engine compile them with the script, so that they are in what it keeps of it.
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
    const make = `(${PARAMETERS}) => { ${constants} return (() => ${tests}); }`;
    return { __proto__: null, make, end };
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
