// calc(op, ...numbers): arithmetic in decimals, so that 0.1 + 0.2 is 0.3. Exact, except that a quotient is cut after 20
// decimals; the result is the number nearest to it.
(function defineCalc(kit) {
  const QUOTIENT_DIGITS = 20;
  const OPERATIONS = {
    __proto__: null,
    '+': add,
    add,
    plus: add,
    '-': subtract,
    sub: subtract,
    subtract,
    minus: subtract,
    '*': multiply,
    mul: multiply,
    multiply,
    times: multiply,
    '/': divide,
    div: divide,
    divide,
    '%': remainder,
    mod: remainder,
  };

  function calc(op, ...numbers) {
    const operation = typeof op === 'string' ? OPERATIONS[kit.toLowerCase(kit.trim(op))] : undefined;
    if (operation === undefined) throw new kit.ErrorConstructor('calc: 未知的运算 / unknown operation (+ - * / %)');
    let result = numbers.length === 0 ? undefined : kit.readDecimal(numbers[0]);
    for (let i = 1; i < numbers.length && result !== undefined; i++) {
      const operand = kit.readDecimal(numbers[i]);
      result = operand === undefined ? undefined : operation(result, operand);
    }
    return result === undefined ? kit.NaN : kit.decimalToNumber(result);
  }

  // The digits of a decimal at a larger scale.
  function at(value, scale) {
    return value.digits * 10n ** kit.BigInt(scale - value.scale);
  }

  function add(a, b) {
    const scale = kit.max(a.scale, b.scale);
    return kit.decimal(at(a, scale) + at(b, scale), scale);
  }

  function subtract(a, b) {
    const scale = kit.max(a.scale, b.scale);
    return kit.decimal(at(a, scale) - at(b, scale), scale);
  }

  function multiply(a, b) {
    return kit.decimal(a.digits * b.digits, a.scale + b.scale);
  }

  function divide(a, b) {
    if (b.digits === 0n) return undefined;
    const scale = kit.max(a.scale, b.scale);
    return kit.decimal((at(a, scale) * 10n ** kit.BigInt(QUOTIENT_DIGITS)) / at(b, scale), QUOTIENT_DIGITS);
  }

  function remainder(a, b) {
    const scale = kit.max(a.scale, b.scale);
    return b.digits === 0n ? undefined : kit.decimal(at(a, scale) % at(b, scale), scale);
  }

  kit.defineGlobal('calc', kit.publicFunction('calc', calc));
});
