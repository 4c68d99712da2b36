/** Takes the lock of the data directory it is given, says so, and holds it until it is killed. */
import { argv, stdout } from 'node:process';
import { openHostLock } from '../../../src/adapters/sql/host-lock.ts';

openHostLock(argv[2] ?? '');
stdout.write('locked\n');
setInterval(() => undefined, 60_000);
