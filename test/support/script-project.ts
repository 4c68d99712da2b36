import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a script project as the push route takes them. */
export function readProject(dir: string): { path: string; text: string }[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.js') || name === 'tables.json')
    .map((name) => ({ path: name, text: readFileSync(join(dir, name), 'utf8') }));
}
