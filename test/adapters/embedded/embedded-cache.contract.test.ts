import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedCache } from '../../../src/adapters/embedded/embedded-cache.ts';
import { EmbeddedInvalidation } from '../../../src/adapters/embedded/embedded-invalidation.ts';
import { EmbeddedLocks } from '../../../src/adapters/embedded/embedded-locks.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { type CacheRoom, cacheBytesContract, cacheContract } from '../../contract/cache.contract.ts';
import { invalidationContract } from '../../contract/invalidation.contract.ts';
import { locksContract } from '../../contract/locks.contract.ts';

const clock = systemClock('Asia/Shanghai');

async function openPlace(room: CacheRoom) {
  const dir = await mkdtemp(join(tmpdir(), 'v8host-cache-'));
  const options = { file: join(dir, 'host.db'), clock, ...room };
  const opened = [await createEmbeddedCache(options)];
  const [cache] = opened;
  if (cache === undefined) throw new Error('no cache');
  return {
    cache,
    async another(other: CacheRoom = {}) {
      const next = await createEmbeddedCache({ ...options, ...other });
      opened.push(next);
      return next;
    },
    async dispose() {
      for (const each of opened) each.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

cacheContract('embedded', openPlace);
cacheBytesContract('embedded', openPlace);

locksContract('embedded', async () => {
  const locks = new EmbeddedLocks(clock);
  return { locks, other: locks, dispose: async () => {} };
});

invalidationContract('embedded', async () => ({ hosts: [new EmbeddedInvalidation()], dispose: async () => {} }));
