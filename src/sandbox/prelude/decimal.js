// Decimals as whole numbers of a power of ten, exact whatever their length: `digits` / 10^`scale`.
(function defineDecimal(kit) {
  // Undefined for what is no number, as NaN in plain arithmetic.
  kit.readDecimal = readDecimal;

  function readDecimal(value) {
    const number = typeof value === 'string' && kit.trim(value) === '' ? kit.NaN : kit.number(value);
    if (!kit.isFinite(number)) return undefined;
    // A text may hold more digits than a number can, as DECIMAL columns do.
    const text = typeof value === 'string' && isPlainDecimal(kit.trim(value)) ? kit.trim(value) : kit.string(number);
    const exponentAt = kit.indexOf(text, 'e');
    const mantissa = exponentAt < 0 ? text : kit.slice(text, 0, exponentAt);
    const exponent = exponentAt < 0 ? 0 : kit.number(kit.slice(text, exponentAt + 1));
    const dot = kit.indexOf(mantissa, '.');
    const decimals = dot < 0 ? 0 : mantissa.length - dot - 1;
    const digits = kit.BigInt(dot < 0 ? mantissa : kit.slice(mantissa, 0, dot) + kit.slice(mantissa, dot + 1));
    const scale = decimals - exponent;
    return scale >= 0 ? decimal(digits, scale) : decimal(digits * 10n ** kit.BigInt(-scale), 0);
  }

  function isPlainDecimal(text) {
    let dots = 0;
    for (let i = text[0] === '-' ? 1 : 0; i < text.length; i++) {
      const unit = kit.charCodeAt(text, i);
      if (unit === 46) dots++;
      else if (unit < 48 || unit > 57) return false;
    }
    return dots <= 1 && text.length < 1000;
  }

  kit.decimal = decimal;

  function decimal(digits, scale) {
    return { __proto__: null, digits, scale };
  }

  kit.decimalToNumber = toNumber;

  function toNumber({ digits, scale }) {
    return kit.number(`${kit.string(digits)}e-${kit.string(scale)}`);
  }

  // To so many decimals, halves to the even neighbour, as .NET rounds.
  kit.roundHalfEven = (value, places) => {
    const exact = readDecimal(value);
    const scale = kit.isFinite(places) ? kit.max(0, kit.min(15, kit.trunc(places))) : 0;
    if (exact === undefined) return kit.NaN;
    if (exact.scale <= scale) return toNumber(exact);
    const step = 10n ** kit.BigInt(exact.scale - scale);
    const quotient = exact.digits / step;
    const rest = exact.digits % step;
    const twice = rest < 0n ? rest * -2n : rest * 2n;
    const away = twice > step || (twice === step && quotient % 2n !== 0n);
    return toNumber(decimal(away ? quotient + (rest < 0n ? -1n : 1n) : quotient, scale));
  };
});
