import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queueContract } from '../../contract/queue.contract.ts';

queueContract('embedded', async () => {
  const place = await mkdtemp(join(tmpdir(), 'v8host-queue-'));
  return { place, dispose: () => rm(place, { recursive: true, force: true }) };
});
