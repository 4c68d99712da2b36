import type { Adapters } from '../../src/compose.ts';
import type { Delivery } from '../../src/ports/queue.ts';
import type { TenantDirectory, TenantStore, TenantTx } from '../../src/ports/tenant-store.ts';
import { intercept, withProperty } from '../support/intercept.ts';

/** Steps of the delivery at which a process can be made to die. */
export const CRASH_POINTS = [
  'before-claim',
  'during-run',
  'before-commit',
  'after-commit',
  'after-ack',
  'after-onward-publish',
  'before-park',
  'after-park',
  'before-move',
  'after-move',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

type Die = () => Promise<never>;

/** The adapters, the first passage of the point ending the process. */
export function dieAt(point: CrashPoint, adapters: Adapters, die: Die): Adapters {
  switch (point) {
    case 'before-claim':
      return withTx(adapters, (tx) => intercept(tx, 'claim', () => die()));
    case 'during-run':
      return { ...adapters, http: intercept(adapters.http, 'send', () => die()) };
    case 'before-commit':
      return withTx(adapters, (tx) => intercept(tx, 'commit', () => die()));
    case 'after-commit':
      return withTx(adapters, (tx) =>
        intercept(tx, 'commit', async (proceed, packet) => {
          await proceed(packet);
          return die();
        }),
      );
    case 'after-ack':
      return withDelivery(adapters, (delivery) =>
        intercept(delivery, 'ack', async (proceed) => {
          await proceed();
          return die();
        }),
      );
    case 'after-onward-publish':
      return withPublish(adapters, (queue) => queue.endsWith('.onward'), 'after', die);
    case 'before-park':
      return withStore(adapters, (store) =>
        withProperty(
          store,
          'parked',
          intercept(store.parked, 'park', () => die()),
        ),
      );
    case 'after-park':
      return withStore(adapters, (store) =>
        withProperty(
          store,
          'parked',
          intercept(store.parked, 'park', async (proceed, request) => {
            await proceed(request);
            return die();
          }),
        ),
      );
    case 'before-move':
      return withPublish(adapters, (_, attempt) => attempt !== undefined, 'before', die);
    case 'after-move':
      return withPublish(adapters, (_, attempt) => attempt !== undefined, 'after', die);
  }
}

/** Wraps every store of the directory, each once. */
export function withStore(adapters: Adapters, wrap: (store: TenantStore) => TenantStore): Adapters {
  const wrapped = new Map<TenantStore, TenantStore>();
  const of = (store: TenantStore): TenantStore => {
    const known = wrapped.get(store) ?? wrap(store);
    wrapped.set(store, known);
    return known;
  };
  let directory: TenantDirectory = intercept(adapters.directory, 'open', (proceed) => proceed().map(of));
  directory = intercept(directory, 'get', (proceed, tenant) => {
    const store = proceed(tenant);
    return store === undefined ? undefined : of(store);
  });
  return { ...adapters, directory };
}

export function withTx(adapters: Adapters, wrap: (tx: TenantTx) => TenantTx): Adapters {
  return withStore(adapters, (store) =>
    intercept(store, 'begin', async (proceed, waitMs) => wrap(await proceed(waitMs))),
  );
}

export function withDelivery(adapters: Adapters, wrap: (delivery: Delivery) => Delivery): Adapters {
  const queue = intercept(adapters.queue, 'consume', (proceed, tenant, name, options, onDelivery) =>
    proceed(tenant, name, options, (delivery) => onDelivery(wrap(delivery))),
  );
  return { ...adapters, queue };
}

function withPublish(
  adapters: Adapters,
  concerns: (queue: string, attempt: string | undefined) => boolean,
  when: 'before' | 'after',
  die: Die,
): Adapters {
  const queue = intercept(adapters.queue, 'publish', async (proceed, tenant, messages) => {
    const meant = messages.some((message) => concerns(message.queue, message.props.headers['x-v8-attempt']));
    if (meant && when === 'before') return die();
    await proceed(tenant, messages);
    if (meant) return die();
  });
  return { ...adapters, queue };
}
