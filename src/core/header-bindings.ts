import { DEFAULT_BACKOFF } from './backoff.ts';
import type { Binding } from './binding.ts';
import type { EngineHeader } from './engine-header.ts';
import { accept, type Parsed } from './errors.ts';
import { toPhysicalQueue } from './queue-name.ts';

/**
 * The bindings that a script's header asks for, one for each `@queue`, as `push` stores them. Their Id is empty.
 * Refusal: a queue name that is too long with this tenant's prefix, or a bad tenant.
 */
export function headerBindings(tenant: string, header: EngineHeader): Parsed<readonly Binding[]> {
  const bindings: Binding[] = [];
  for (const logicalQueue of header.queues) {
    const physicalQueue = toPhysicalQueue(tenant, logicalQueue);
    if (!physicalQueue.ok) return physicalQueue;
    bindings.push({
      id: '',
      logicalQueue,
      physicalQueue: physicalQueue.value,
      engineKey: header.engineKey,
      retries: header.retryCount > 0,
      retryCount: header.retryCount,
      inbox: header.inbox,
      legacyAck: header.legacyAck,
      prefetch: header.prefetch ?? 1,
      timeoutSeconds: header.timeoutSeconds,
      backoff: header.backoff ?? DEFAULT_BACKOFF,
      ...(header.queueType === undefined ? {} : { queueType: header.queueType }),
      ...(header.orderKey === undefined ? {} : { orderKey: header.orderKey }),
    });
  }
  return accept(bindings);
}
