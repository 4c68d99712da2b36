/** What a tenant's `sys_config` says about the limits of its engines (v8-surface.md 7.2). */

/** Wall time in milliseconds, heap in MB; absent where nobody said. */
export interface TenantLimits {
  /** For an engine that asks for nothing. */
  readonly defaults: { readonly wallMs?: number; readonly heapMb?: number };
  /** No engine of the tenant goes above; the operator's caps hold beside them. */
  readonly most: { readonly wallMs?: number; readonly heapMb?: number; readonly nesting?: number };
}

/**
 * Reads the columns for time, memory and depth; undefined when the row sets none. Blank cells and what is no whole
 * number from 1 up set nothing. What this host does not count (statements, recursion) or leaves to the operator alone
 * (runs at once) is not read.
 */
export function readTenantLimits(row: Readonly<Record<string, unknown>>): TenantLimits | undefined {
  const read = (column: string, unit: number): number | undefined => {
    const text = String(row[column] ?? '').trim();
    return /^[1-9]\d{0,8}$/.test(text) ? Number(text) * unit : undefined;
  };
  const defaults = present({
    wallMs: read('V8DefaultTimeoutSeconds', 1000),
    heapMb: read('V8DefaultLimitMemoryMB', 1),
  });
  const most = present({
    wallMs: read('V8MaxTimeoutSeconds', 1000),
    heapMb: read('V8MaxLimitMemoryMB', 1),
    nesting: read('V8NestedApiDepth', 1),
  });
  const isEmpty = Object.keys(defaults).length + Object.keys(most).length === 0;
  return isEmpty ? undefined : { defaults, most };
}

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

function present<T extends Readonly<Record<string, number | undefined>>>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
