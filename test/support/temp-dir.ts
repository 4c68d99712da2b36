import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that goes with the test. */
export function tempDir(t: Pick<TestContext, 'after'>): string {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
