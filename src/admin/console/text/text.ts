import { type ComputedRef, computed, ref, watchEffect } from 'vue';

/** Languages of the console. */
export type Language = 'zh' | 'en';

/** The same sentences in both languages; a missing one does not compile. */
export interface TextTable<T> {
  readonly zh: T;
  readonly en: T;
}

const STORED_AS = 'v8host.language';

/** The language shown; kept by this browser. */
export const language = ref<Language>(firstLanguage());

watchEffect(() => {
  localStorage.setItem(STORED_AS, language.value);
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
});

/** Both languages of a page's sentences. */
export function defineText<T>(zh: T, en: NoInfer<T>): TextTable<T> {
  return { zh, en };
}

/** The sentences in the language shown at the moment. */
export function useText<T>(table: TextTable<T>): ComputedRef<T> {
  return computed(() => table[language.value]);
}

function firstLanguage(): Language {
  const stored = localStorage.getItem(STORED_AS) ?? navigator.language;
  return stored.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
