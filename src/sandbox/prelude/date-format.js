// DateNow and DateFormat: the built-in version of v8-surface.md 6.6. Local time is the configured zone.
(function defineDateFormat(kit) {
  const { date } = kit;
  const DEFAULT_FORMAT = 'yyyy-MM-dd HH:mm:ss';
  const twelveHour = (d) => date.getHours(d) % 12 || 12;

  // Token, width and number. Longest first: at one place of a format only the longest token counts.
  const TOKENS = [
    ['yyyy', 4, date.getFullYear],
    ['SSS', 3, date.getMilliseconds],
    ['yy', 2, (d) => date.getFullYear(d) % 100],
    ['MM', 2, (d) => date.getMonth(d) + 1],
    ['dd', 2, date.getDate],
    ['HH', 2, date.getHours],
    ['hh', 2, twelveHour],
    ['mm', 2, date.getMinutes],
    ['ss', 2, date.getSeconds],
    ['M', 1, (d) => date.getMonth(d) + 1],
    ['d', 1, date.getDate],
    ['H', 1, date.getHours],
    ['h', 1, twelveHour],
    ['m', 1, date.getMinutes],
    ['s', 1, date.getSeconds],
    ['q', 1, (d) => kit.trunc(date.getMonth(d) / 3) + 1],
  ];

  kit.formatDate = (value, format) => {
    const pattern = typeof format === 'string' && format !== '' ? format : DEFAULT_FORMAT;
    let text = '';
    for (let i = 0; i < pattern.length; ) {
      const token = tokenAt(pattern, i);
      text += token === undefined ? pattern[i] : pad(token[2](value), token[1]);
      i += token === undefined ? 1 : token[0].length;
    }
    return text;
  };

  // A Date, or null when the value is missing or no date.
  kit.readDate = (value) => {
    if (value === null || value === undefined || value === '' || typeof value === 'boolean') return null;
    const parsed = new kit.DateConstructor(value);
    return kit.isFinite(date.getTime(parsed)) ? parsed : null;
  };

  function tokenAt(format, position) {
    for (let i = 0; i < TOKENS.length; i++) if (kit.startsWith(format, TOKENS[i][0], position)) return TOKENS[i];
    return undefined;
  }

  function pad(number, width) {
    let text = kit.string(number);
    while (text.length < width) text = `0${text}`;
    return text;
  }
});
