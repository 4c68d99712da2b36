/** `npm run bench -- <name>`: runs one benchmark, which prints its bars and exits 1 when one is short. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(import.meta.dirname, '../test/bench');
const [name = ''] = process.argv.slice(2);
const file = join(folder, `${name}.bench.ts`);
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  const known = readdirSync(folder).flatMap((entry) => /^(.+)\.bench\.ts$/.exec(entry)?.[1] ?? []);
  process.stderr.write(`usage: npm run bench -- ${known.join('|')}\n`);
  process.exit(2);
}
await import(pathToFileURL(file).href);
