// The global functions. A script's own function of the same name wins.
(function defineDateFunctions(kit) {
  function dateNow(format) {
    return kit.formatDate(new kit.DateConstructor(), format);
  }

  function dateFormat(value, format) {
    const parsed = kit.readDate(value);
    return parsed === null ? null : kit.formatDate(parsed, format);
  }

  function dateAdd(start, unit, n, format) {
    if (!kit.isDateUnit(unit)) {
      throw new kit.ErrorConstructor('DateAdd: 未知的单位 / unknown unit (s n m h H d w q M y)');
    }
    const parsed = kit.readDate(start);
    const amount = readAmount(n);
    return parsed === null || amount === null ? null : dateFormat(kit.addToDate(parsed, unit, amount), format);
  }

  // A number or its text; anything else is no amount.
  function readAmount(value) {
    if (typeof value !== 'number' && (typeof value !== 'string' || kit.trim(value) === '')) return null;
    const amount = kit.number(value);
    return kit.isFinite(amount) ? amount : null;
  }

  const FUNCTIONS = { __proto__: null, DateNow: dateNow, DateFormat: dateFormat, DateAdd: dateAdd };
  for (const name in FUNCTIONS) kit.defineGlobal(name, kit.publicFunction(name, FUNCTIONS[name]));
});
