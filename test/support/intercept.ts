type Method = (...args: never[]) => unknown;

/**
 * The same object with one method replaced; `proceed` calls the real one. For provoking a failure at an exact step of
 * a real adapter, which goes on doing everything else.
 */
export function intercept<T extends object, K extends keyof T>(
  target: T,
  method: K,
  replacement: T[K] extends Method ? (proceed: T[K], ...args: Parameters<T[K]>) => ReturnType<T[K]> : never,
): T {
  const original = (target[method] as unknown as Method).bind(target) as T[K];
  const replaced = (...args: unknown[]) => (replacement as unknown as Method)(...([original, ...args] as never[]));
  return new Proxy(target, {
    get(object, key) {
      if (key === method) return replaced;
      const value = Reflect.get(object, key, object) as unknown;
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}

/** The same object with one property replaced. */
export function withProperty<T extends object, K extends keyof T>(target: T, property: K, value: T[K]): T {
  return new Proxy(target, {
    get(object, key) {
      if (key === property) return value;
      const own = Reflect.get(object, key, object) as unknown;
      return typeof own === 'function' ? own.bind(object) : own;
    },
  });
}
