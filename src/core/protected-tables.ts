/** What a script may do with a table: nothing at all, read, or read and write. */
export type TableAccess = 'hidden' | 'read' | 'write';

/** Inbox, outbox and the like carry the guarantees; the registry carries other tenants' connections. */
const HIDDEN = [/^mq_/, /^sqlite_/, /^dbstat$/, /^schema_migration$/, /^sys_osclients$/];

/** What the platform writes or what gives rights (engines, bindings) is readable only. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'sys_apiengine',
  'sys_config',
  'sys_log',
  'diy_queue_receive',
  'diy_queue_receive_log',
]);

/** Access of scripts to a table, by its plain name in any case. */
export function tableAccess(name: string): TableAccess {
  const table = name.trim().toLowerCase();
  if (HIDDEN.some((pattern) => pattern.test(table))) return 'hidden';
  return READ_ONLY.has(table) ? 'read' : 'write';
}
