import { auditEntry } from '../core/audit-entry.ts';
import { BY_HOST, type ChangeOrigin } from '../core/change-origin.ts';
import type { JsonValue } from '../core/json.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';

/** What was done, as the log of changes names it. No payload and no secret is in it. */
export interface NotedChange {
  /** Such as `dead-letter.purged`. */
  readonly action: string;
  readonly target: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Writes down a change that was made outside a transaction of the tenant's database, after it was made. */
export function noteChange(
  store: Pick<TenantStore, 'identity'>,
  origin: ChangeOrigin | undefined,
  { action, target, ...change }: NotedChange,
): Promise<void> {
  return store.identity.audit.write(auditEntry(origin ?? BY_HOST, action, target, change));
}

/** The same for what belongs to no single tenant: it stands in the main tenant's log. */
export async function noteHostChange(
  directory: Pick<TenantDirectory, 'open'>,
  origin: ChangeOrigin | undefined,
  change: NotedChange,
): Promise<void> {
  const [main] = directory.open();
  if (main !== undefined) await noteChange(main, origin, change);
}
