import assert from 'node:assert/strict';
import { createRedis, type RedisServices } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { type CacheRoom, cacheContract } from '../../contract/cache.contract.ts';
import { invalidationContract } from '../../contract/invalidation.contract.ts';
import { locksContract } from '../../contract/locks.contract.ts';
import { freshRedis } from '../../support/services/fresh-redis.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

/** Two hosts on an empty database of the shared server. */
async function twoHosts({ keysPerTenant }: CacheRoom = {}) {
  const url = await freshRedis();
  const limit = keysPerTenant === undefined ? {} : { keysPerTenant };
  const open = (): RedisServices =>
    createRedis({ url, log: SILENT_LOG, clock: systemClock('Asia/Shanghai'), ...limit });
  const hosts = [open(), open()] as const;
  await Promise.all(hosts.map((host) => host.probe()));
  return {
    hosts,
    dispose: async () => {
      for (const host of hosts) host.close();
    },
  };
}

cacheContract('redis', async (room) => {
  const { hosts, dispose } = await twoHosts(room);
  return { cache: hosts[0].cache, another: async () => hosts[1].cache, dispose };
});

locksContract('redis', async () => {
  const { hosts, dispose } = await twoHosts();
  return { locks: hosts[0].locks, other: hosts[1].locks, dispose };
});

invalidationContract('redis', async () => {
  const { hosts, dispose } = await twoHosts();
  assert.equal(hosts[0].isUp(), true);
  return { hosts: hosts.map((host) => host.invalidation), dispose };
});
