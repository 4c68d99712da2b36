import type { BindingStatus } from '../app/binding-status.ts';
import { formatBackoff } from '../core/backoff.ts';
import type { Binding } from '../core/binding.ts';
import { describeError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { StoredBinding } from '../ports/tenant-store.ts';

/** Every row of the tenant. Of several for one queue that are switched on the last alone is served. */
export function presentBindings(rows: readonly StoredBinding[], lang: Lang): readonly JsonObject[] {
  const served = new Map<string, string>();
  for (const { id, isEnabled, binding } of rows) {
    if (isEnabled && binding.ok) served.set(binding.value.physicalQueue, id);
  }
  return rows.map((stored) => {
    const { id, isEnabled, binding } = stored;
    const isShadowed = isEnabled && binding.ok && served.get(binding.value.physicalQueue) !== id;
    const shadow: ErrorRecord | undefined = isShadowed
      ? { code: 'BINDING_EXISTS', params: { queue: binding.value.logicalQueue } }
      : undefined;
    return presentBinding(stored, lang, shadow);
  });
}

/** `refusal` is empty for a row that can be bound; of one that cannot only what it says is shown. */
export function presentBinding(stored: StoredBinding, lang: Lang, refused?: ErrorRecord): JsonObject {
  const { id, isEnabled, isPushed, row, binding } = stored;
  const refusal = binding.ok ? refused : binding.error;
  const names = { queue: String(row.QueueName ?? ''), engineKey: String(row.ApiEngineKey ?? '') };
  return {
    id,
    ...names,
    enabled: isEnabled,
    pushed: isPushed,
    ...(binding.ok ? settingsOf(binding.value) : {}),
    refusal: refusal === undefined ? '' : describeError(refusal, lang),
  };
}

/** A row that was changed just now, with how it does on this host. */
export function presentChanged(stored: StoredBinding, states: readonly BindingStatus[], lang: Lang): JsonObject {
  const queue = stored.binding.ok ? stored.binding.value.logicalQueue : String(stored.row.QueueName ?? '');
  const status = stored.isEnabled ? states.find((each) => each.queue === queue) : undefined;
  return { ...presentBinding(stored, lang), state: status?.state ?? null, notes: [...(status?.notes ?? [])] };
}

function settingsOf(binding: Binding): JsonObject {
  return {
    queue: binding.logicalQueue,
    engineKey: binding.engineKey,
    retryCount: binding.retries ? binding.retryCount : 0,
    inbox: binding.inbox,
    legacyAck: binding.legacyAck,
    prefetch: binding.prefetch,
    timeoutSeconds: binding.timeoutSeconds ?? null,
    backoff: formatBackoff(binding.backoff),
    queueType: binding.queueType ?? null,
    orderKey: binding.orderKey ?? null,
  };
}
