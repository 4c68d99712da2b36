import type { ChangeOrigin } from './change-origin.ts';
import type { JsonValue } from './json.ts';

/** A change of something, as it is written down. Secrets are masked before it gets here. */
export interface AuditEntry {
  readonly actorKind: string;
  readonly actorId: string;
  readonly actorName: string;
  /** Where the request came from; empty for the host itself. */
  readonly address: string;
  /** Such as `user.changed`. */
  readonly action: string;
  /** What was changed, such as an account or an engine's key. */
  readonly target: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** An entry of the log of changes. */
export function auditEntry(
  { by, address }: ChangeOrigin,
  action: string,
  target: string,
  change: { readonly before?: JsonValue; readonly after?: JsonValue } = {},
): AuditEntry {
  return {
    actorKind: by.kind,
    actorId: by.id,
    actorName: by.name,
    address,
    action,
    target,
    before: change.before ?? null,
    after: change.after ?? null,
  };
}

/** A cell of a table as the log of changes keeps it. */
export function shownCell(value: unknown): string | number | null {
  return typeof value === 'number' || typeof value === 'string' ? value : value == null ? null : String(value);
}
