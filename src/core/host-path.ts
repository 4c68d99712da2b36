import { readEntryPath } from './entry-path.ts';
import { platformOperation } from './platform-operation.ts';

/** First parts of the paths that have routes of their own: API, probes, console and setup. */
const ROUTES = /^\/(api\/v1|livez|readyz|metrics|setup|assets)(\/|$)/i;

/** True for a path that the host answers itself, so that no engine's address is ever asked for there. */
export function isHostPath(path: string): boolean {
  if (ROUTES.test(path)) return true;
  const read = readEntryPath(path);
  if (read === undefined) return false;
  const { target, tenant } = read;
  // The suffix that names a tenant is taken off before addresses are looked up.
  return target.kind !== 'engine' || tenant !== undefined || platformOperation(target, undefined) !== undefined;
}
