// The date arithmetic of v8-surface.md 6.6: months and years stop at the month's last day, 31 January + 1 M is
// 29 or 28 February.
(function defineDateAdd(kit) {
  const { date } = kit;
  const MILLISECONDS = { __proto__: null, s: 1000, n: 60_000, m: 60_000, h: 3_600_000, H: 3_600_000 };
  const DAYS = { __proto__: null, d: 1, w: 7 };
  const MONTHS = { __proto__: null, M: 1, q: 3, y: 12 };

  kit.isDateUnit = (unit) =>
    typeof unit === 'string' && (MILLISECONDS[unit] ?? DAYS[unit] ?? MONTHS[unit]) !== undefined;

  kit.addToDate = (value, unit, amount) => {
    if (MILLISECONDS[unit] !== undefined) return copyDate(date.getTime(value) + amount * MILLISECONDS[unit]);
    if (DAYS[unit] !== undefined) return addDays(value, kit.trunc(amount) * DAYS[unit]);
    return addMonths(value, kit.trunc(amount) * MONTHS[unit]);
  };

  function addMonths(value, months) {
    const moved = copyDate(date.getTime(value));
    date.setFullYear(moved, date.getFullYear(moved), date.getMonth(moved) + months, 1);
    const last = copyDate(date.getTime(moved));
    date.setFullYear(last, date.getFullYear(last), date.getMonth(last) + 1, 0);
    date.setDate(moved, kit.min(date.getDate(value), date.getDate(last)));
    return moved;
  }

  function addDays(value, days) {
    const moved = copyDate(date.getTime(value));
    date.setDate(moved, date.getDate(moved) + days);
    return moved;
  }

  function copyDate(time) {
    return new kit.DateConstructor(time);
  }
});
