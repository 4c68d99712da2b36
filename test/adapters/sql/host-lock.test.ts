import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openHostLock } from '../../../src/adapters/sql/host-lock.ts';
import { AppError } from '../../../src/core/errors.ts';
import { temporaryFolder } from './sqlite-place.ts';

const CHILD = fileURLToPath(new URL('./host-lock-child.ts', import.meta.url));

describe('the host lock', () => {
  it('is given to one host, and again after that one gave it back', (t) => {
    const folder = temporaryFolder(t);
    const lock = openHostLock(folder);
    assert.throws(
      () => openHostLock(folder),
      (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.code, error.params], ['HOST_LOCKED', { dir: folder, holder: `pid ${process.pid}` }]);
        return true;
      },
    );
    lock.close();
    openHostLock(folder).close();
  });

  it('names the process that holds it, and ends with that process', async (t) => {
    const folder = temporaryFolder(t);
    const child = spawn(execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    assert.throws(
      () => openHostLock(folder),
      (error: unknown) => {
        return error instanceof AppError && error.params.holder === `pid ${child.pid}`;
      },
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    openHostLock(folder).close();
  });
});
