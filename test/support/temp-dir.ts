import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that goes with the test. */
export function tempDir(t: { after(end: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
