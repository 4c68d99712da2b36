import { join } from 'node:path';
import { createEmbeddedQueue } from '../../src/adapters/embedded/embedded-queue.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { SILENT_LOG } from '../support/silent-log.ts';

/** Opens an adapter at a place (a folder, a broker's URL) by its name, so that a child process can do it too. */
export const QUEUE_OPENERS: Readonly<Record<string, (place: string) => Promise<Queue>>> = {
  embedded: (folder) =>
    createEmbeddedQueue({ file: join(folder, 'host.db'), log: SILENT_LOG, clock: systemClock('Asia/Shanghai') }),
};
