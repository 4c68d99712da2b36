import type { BindingRefusal } from '../core/binding.ts';
import { type AppError, describeError, type Lang } from '../core/errors.ts';
import type { BoundConsumer } from './bound-consumer.ts';

/** How a binding does on this host. */
export interface BindingStatus {
  /** Logical name, as the row has it. */
  readonly queue: string;
  readonly engineKey: string | null;
  /**
   * `attached` receives; `waits` for another consumer of an ordered queue; `paused` by a circuit or a database that is
   * away; `failed` cannot be attached now and is tried again; `refused` needs its row or its queue changed.
   */
  readonly state: 'attached' | 'waits' | 'paused' | 'failed' | 'refused';
  /** Why it is not attached, and what to be aware of: sentences. */
  readonly notes: readonly string[];
}

/** What the reconcile loop knows of a binding besides its consumer. */
export interface AttachTrouble {
  readonly failures: number;
  readonly error: AppError;
}

export function statusOf(consumer: BoundConsumer, trouble: AttachTrouble | undefined, lang: Lang): BindingStatus {
  const { logicalQueue, engineKey } = consumer.binding;
  const told = consumer.findings.map(({ error }) => describeError(error, lang));
  const why = trouble === undefined ? [] : [describeError(trouble.error.toRecord(), lang)];
  return {
    queue: logicalQueue,
    engineKey,
    state: stateOf(consumer, trouble),
    notes: [...new Set([...(consumer.isAttached ? [] : why), ...told])],
  };
}

export function statusOfRefusal({ queue, error }: BindingRefusal, lang: Lang): BindingStatus {
  return { queue, engineKey: null, state: 'refused', notes: [describeError(error, lang)] };
}

function stateOf(consumer: BoundConsumer, trouble: AttachTrouble | undefined): BindingStatus['state'] {
  if (consumer.isAttached) return 'attached';
  if (trouble === undefined) return 'paused';
  if (trouble.error.code === 'QUEUE_HELD') return 'waits';
  return trouble.error.code === 'QUEUE_UNFIT' || trouble.error.code === 'QUEUE_UNORDERED' ? 'refused' : 'failed';
}
