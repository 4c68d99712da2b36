// System.DateTime (v8-surface.md 6.7): Now, UtcNow and Today, moments that can be written and moved.
(function defineDateTime(kit) {
  const { date } = kit;
  const MOVES = { __proto__: null, AddSeconds: 's', AddMinutes: 'n', AddHours: 'h', AddDays: 'd', AddMonths: 'M' };
  MOVES.AddYears = 'y';

  // `value` is a Date whose local fields are the moment's.
  function makeDateTime(value) {
    const toText = kit.publicFunction('ToString', writeDateTime, value);
    const moment = {
      Year: date.getFullYear(value),
      Month: date.getMonth(value) + 1,
      Day: date.getDate(value),
      Hour: date.getHours(value),
      Minute: date.getMinutes(value),
      Second: date.getSeconds(value),
      Millisecond: date.getMilliseconds(value),
      ToString: toText,
    };
    for (const name in MOVES) moment[name] = kit.publicFunction(name, moveDateTime, { __proto__: null, value, name });
    kit.defineHidden(moment, 'toString', toText);
    // JSON, and so a column or a message, gets the text.
    kit.defineHidden(
      moment,
      'toJSON',
      kit.publicFunction('toJSON', () => writeDateTime(value)),
    );
    return kit.freeze(moment);
  }

  // .NET writes milliseconds as fff; the rest of the tokens are those of DateFormat.
  function writeDateTime(value, format) {
    return kit.formatDate(value, typeof format === 'string' ? kit.replaceAll(format, 'fff', 'SSS') : undefined);
  }

  function moveDateTime({ value, name }, amount) {
    const count = kit.number(amount);
    if (!kit.isFinite(count)) throw new kit.ErrorConstructor(`DateTime.${name}: 须为数字 / it takes a number`);
    return makeDateTime(kit.addToDate(value, MOVES[name], count));
  }

  const now = () => makeDateTime(new kit.DateConstructor());

  function utcNow() {
    const local = new kit.DateConstructor();
    return makeDateTime(new kit.DateConstructor(date.getTime(local) + date.getTimezoneOffset(local) * 60_000));
  }

  function today() {
    const moment = new kit.DateConstructor();
    date.setHours(moment, 0, 0, 0, 0);
    return makeDateTime(moment);
  }

  const dateTime = {};
  kit.defineGetter(dateTime, 'Now', now);
  kit.defineGetter(dateTime, 'UtcNow', utcNow);
  kit.defineGetter(dateTime, 'Today', today);
  kit.system.DateTime = dateTime;
});
