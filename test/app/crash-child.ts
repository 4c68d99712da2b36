/** A host process that dies by SIGKILL at a given step: `node crash-child.ts <dataDir> <point>`. */
import { TestHost } from '../support/test-host.ts';
import { type CrashPoint, dieAt } from './crash-points.ts';

const [dataDir = '', point = ''] = process.argv.slice(2);

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => undefined);
}

const test = await TestHost.open(dataDir, { decorate: (adapters) => dieAt(point as CrashPoint, adapters, die) });
await test.host.start();
