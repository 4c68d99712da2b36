/**
 * Functions put in front of an escape's source. What a script reached is judged inside its isolate, where alone the
 * realms can be told apart.
 */
const PROBES = `
  // True when code made by this function constructor sees anything of Node.
  const seesHost = (F) => {
    try {
      return F('return [typeof process, typeof require, typeof module, typeof Buffer, typeof fetch, typeof ivm]')()
        .some((type) => type !== 'undefined');
    } catch { return false }
  };
  // True when the value belongs to another realm: its prototypes do not end where this realm's do.
  const foreign = (value) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
    try {
      let last = value;
      for (let up = Object.getPrototypeOf(last); up !== null; up = Object.getPrototypeOf(last)) last = up;
      return last !== Object.prototype && last !== value;
    } catch { return false }
  };
  // True when the value leads out: by its realm, or by the constructor of its constructor.
  const leadsOut = (value) => foreign(value) || (() => {
    try { return seesHost(value.constructor.constructor) } catch { return false }
  })();
`;

/** An escape on one line, so that positions in its errors stay those of the attack. */
export function withProbes(source: string): string {
  return `${PROBES.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/\s+/g, ' ')}${source}`;
}
