/** Writes the pages of docs/ that come from the code. `npm run docs`; a test fails when a page is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED_PAGES } from './generated-pages.ts';

for (const { path, render } of GENERATED_PAGES) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, render());
  process.stdout.write(`${path}\n`);
}
