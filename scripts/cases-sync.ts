/**
 * Copies the shared test vectors into the repository, so that a fresh clone can run the tests without them.
 * `npm run cases:sync`; test/core/cases.test.ts fails when the copy has fallen behind.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FROM = new URL('../../shared/cases/', import.meta.url);
const TO = new URL('../test/fixtures/cases/', import.meta.url);

mkdirSync(TO, { recursive: true });
for (const name of readdirSync(FROM).filter((file) => file.endsWith('.json'))) {
  // Not copyFile: it would carry over the read-only mode, and the next run could not write.
  writeFileSync(new URL(name, TO), readFileSync(new URL(name, FROM)));
  process.stdout.write(`${fileURLToPath(new URL(name, TO))}\n`);
}
