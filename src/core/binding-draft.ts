import { DEFAULT_BACKOFF, formatBackoff } from './backoff.ts';
import type { Binding } from './binding.ts';

/** What people set of a binding. A field left out (undefined) keeps its value; null goes back to the default. */
export interface BindingDraft {
  /** Logical or physical name. */
  readonly queue?: string | undefined;
  readonly engineKey?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** 0: a failed message is a dead letter at once. */
  readonly retryCount?: number | undefined;
  readonly inbox?: boolean | undefined;
  readonly legacyAck?: boolean | undefined;
  readonly prefetch?: number | undefined;
  readonly timeoutSeconds?: number | null | undefined;
  readonly backoff?: string | undefined;
  readonly queueType?: Binding['queueType'] | null;
  readonly orderKey?: string | null | undefined;
}

/** Columns of `diy_queue_receive` with the values to write. */
export type BindingColumns = Readonly<Record<string, string | number | null>>;

/** Every setting but queue and engine as a new binding has it (defaults.md 5). */
export const NEW_BINDING = Object.freeze({
  enabled: true,
  retryCount: 0,
  inbox: true,
  legacyAck: false,
  prefetch: 1,
  timeoutSeconds: null,
  backoff: formatBackoff(DEFAULT_BACKOFF),
  queueType: null,
  orderKey: null,
} as const satisfies BindingDraft);

/** The columns that a draft sets; `parseBinding` checks their values. An engine makes a row one of an engine. */
export function draftColumns(draft: BindingDraft): BindingColumns {
  const { queue, engineKey, enabled, retryCount, inbox, legacyAck } = draft;
  const columns: Record<string, string | number | null | undefined> = {
    QueueName: queue,
    ...(engineKey === undefined ? {} : { Type: 1, ApiEngineKey: engineKey }),
    IsEnable: flag(enabled),
    ...(retryCount === undefined ? {} : { FailToReject: retryCount > 0 ? '是' : '否', Count: retryCount }),
    Inbox: flag(inbox),
    LegacyAck: flag(legacyAck),
    Prefetch: draft.prefetch,
    TimeoutSeconds: draft.timeoutSeconds,
    Backoff: draft.backoff,
    QueueType: draft.queueType,
    OrderKey: draft.orderKey === '' ? null : draft.orderKey,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as BindingColumns;
}

function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
