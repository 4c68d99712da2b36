/**
 * `npm run scale [-- --write]`: measures what one tenant, binding, device and message cost on this machine, and what that
 * makes of the loads of docs/scale.md. With `--write` the tables go into docs/scale-figures.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from '../test/bench/machine.ts';
import { DEFAULT_COUNTS, measureScale } from '../test/bench/scale-measure.ts';
import { scaleTables } from './scale-tables.ts';

const figures = await measureScale(DEFAULT_COUNTS, (line) => process.stdout.write(`${line}\n`));
const text = scaleTables(figures, describeMachine());
process.stdout.write(`\n${text}`);
if (process.argv.includes('--write')) writeFileSync(join(import.meta.dirname, '../docs/scale-figures.md'), text);
