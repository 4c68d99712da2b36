import type { SqlValue } from '../../core/sql-value.ts';
import type { Row } from '../../ports/table-store.ts';

/** A row as JSON can carry it: binary cells become Base64 text. */
export function toScriptRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toScriptValue(value)]));
}

function toScriptValue(value: unknown): SqlValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : (value as SqlValue);
}
