/** Takes the lock of the data directory it is given, drops the handle, says so, and lives until it is killed. */
import { argv, stdout } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openHostLock } from '../../../src/adapters/sql/host-lock.ts';

openHostLock(argv[2] ?? '');
// A lock that lived as long as its handle only would end here.
setFlagsFromString('--expose-gc');
(runInNewContext('gc') as () => void)();
stdout.write('locked\n');
setInterval(() => undefined, 60_000);
