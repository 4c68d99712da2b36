import process from 'node:process';

/**
 * SIGTERM and SIGINT, counted: the first asks for a drain, the second for a short one. Listening begins with the
 * object, so that a signal during the start is not lost.
 */
export class StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;

  constructor() {
    let count = 0;
    let onFirst = (): void => {};
    let onSecond = (): void => {};
    this.first = new Promise((resolve) => {
      onFirst = resolve;
    });
    this.second = new Promise((resolve) => {
      onSecond = resolve;
    });
    const listener = (): void => {
      count += 1;
      if (count === 1) onFirst();
      else onSecond();
    };
    process.on('SIGTERM', listener);
    process.on('SIGINT', listener);
  }
}
