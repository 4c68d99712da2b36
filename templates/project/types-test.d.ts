/** A test of `v8host test`. It fails when its function throws. */
declare function test(name: string, body: () => void | Promise<void>): void;

/** Checks that throw, naming what was found and what was expected. */
declare const assert: {
  ok(value: unknown, message?: string): void;
  /** Compares by `===`. */
  equal(actual: unknown, expected: unknown, message?: string): void;
  /** Compares as JSON, whatever the order of the keys. */
  deepEqual(actual: unknown, expected: unknown, message?: string): void;
  throws(body: () => unknown, message?: string): void;
};

/** Runs an engine with a message as its queue would hand it over, and answers its result. */
declare function deliver(
  engineKey: V8EngineKey,
  message: unknown,
  eventId?: string,
): { Code: number; Msg?: string; Data?: any };
