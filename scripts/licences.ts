/** `npm run licences`: every package that ships with its licence; exits 1 when one is not on the list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed, type Lockfile, shippedPackages } from './shipped-packages.ts';

const path = join(import.meta.dirname, '../package-lock.json');
const packages = shippedPackages(JSON.parse(readFileSync(path, 'utf8')) as Lockfile);
for (const { name, version, licence } of packages) {
  const verdict = isAllowed(licence) ? '' : '  <- not on the list of scripts/shipped-packages.ts';
  process.stdout.write(`${licence === '' ? 'none' : licence}\t${name}@${version}${verdict}\n`);
  if (verdict !== '') process.exitCode = 1;
}
process.stdout.write(`${packages.length} packages\n`);
