/** What a script may do with a table: nothing at all, read, or read and write. */
export type TableAccess = 'hidden' | 'read' | 'write';

/**
 * Inbox, outbox and the like carry the guarantees; the registry and `microi_database` carry connections with their
 * passwords; `v8host_` is who may do what.
 */
const HIDDEN = [
  /^microi_database$/,
  /^mq_/,
  /^sqlite_/,
  /^dbstat$/,
  /^schema_migration$/,
  /^sys_osclients$/,
  /^v8host_/,
];

/** What the platform writes or what gives rights (engines, bindings) is readable only. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'sys_apiengine',
  'sys_config',
  'sys_log',
  'diy_queue_receive',
  'diy_queue_receive_log',
]);

/** Views of the catalogue (sql-catalogue.ts). */
const CATALOGUE = /^information_schema_/;

/** Access of scripts to a table, by its plain name in any case. */
export function tableAccess(name: string): TableAccess {
  const table = name.trim().toLowerCase();
  if (HIDDEN.some((pattern) => pattern.test(table))) return 'hidden';
  return READ_ONLY.has(table) || CATALOGUE.test(table) ? 'read' : 'write';
}
