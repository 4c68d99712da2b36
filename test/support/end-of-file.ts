/**
 * Loaded before every test file: a file whose tests are over and that does not end is ended, and counts as failed.
 * Otherwise one failed check, whose lane or broker nobody closed any more, would hold up all files behind it.
 */
import process from 'node:process';
import { after } from 'node:test';

/** Services of a file are ended by its own `after` hooks, which begin with this one. Milliseconds. */
const GRACE_MS = 60_000;

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`${process.argv[1] ?? ''}: its tests are over, and it holds open: ${open}\n`);
    process.exit(1);
  }, GRACE_MS).unref();
});
