import { type Ref, ref, shallowRef, watch } from 'vue';
import { language } from '../text/text.ts';
import { ApiFailure } from './client.ts';

/** Something read from the host, with how far it is. */
export interface Loaded<T> {
  readonly data: Readonly<Ref<T | undefined>>;
  /** The host's sentence; empty when all went well. */
  readonly error: Readonly<Ref<string>>;
  readonly isLoading: Readonly<Ref<boolean>>;
  /** Reads again; what was there stays until the new is. */
  reload(): Promise<void>;
}

/**
 * Reads at once, whenever `key` changes, and in the other language when that is chosen, for the host's sentences. An
 * answer that a later one overtook is dropped.
 */
export function useLoad<T>(key: () => unknown, read: () => Promise<T>): Loaded<T> {
  const data = shallowRef<T>();
  const error = ref('');
  const isLoading = ref(true);
  let latest = 0;
  const reload = async (): Promise<void> => {
    latest += 1;
    const mine = latest;
    isLoading.value = true;
    const outcome = await read().then(
      (value) => ({ value, error: '' }),
      (thrown: unknown) => ({ value: undefined, error: sentenceOf(thrown) }),
    );
    if (mine !== latest) return;
    if (outcome.error === '') data.value = outcome.value;
    error.value = outcome.error;
    isLoading.value = false;
  };
  watch([key, language], reload, { immediate: true });
  return { data, error, isLoading, reload };
}

/** What to tell people. Anything but an answer of the host is a fault of the page, which the browser's log shall show. */
export function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ApiFailure) return thrown.message;
  queueMicrotask(() => {
    throw thrown;
  });
  return String(thrown);
}
