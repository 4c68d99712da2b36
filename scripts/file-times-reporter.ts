import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** How many files the closing list names. */
const LISTED = 25;

/**
 * A reporter that ends a run with its slowest files, so that whoever adds a test sees what it costs everybody.
 * A file's time is that since the file before it ended, its process included: exact where one file runs at a time.
 */
export default async function* fileTimes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { path: string; ms: number }[] = [];
  let ended = performance.now();
  for await (const event of events) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue;
    const now = performance.now();
    files.push({ path: relative(process.cwd(), event.data.file), ms: now - ended });
    ended = now;
  }
  const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, LISTED);
  const lines = slowest.map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${path}`);
  yield ['slowest files:', ...lines, ''].join('\n');
}
