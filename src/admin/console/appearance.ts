import { ref, watchEffect } from 'vue';

const STORED_AS = 'v8host.dark';

/** Dark colours; as the system has it until somebody chooses. */
export const isDark = ref(firstChoice());

watchEffect(() => {
  localStorage.setItem(STORED_AS, isDark.value ? '1' : '0');
  document.documentElement.classList.toggle('dark', isDark.value);
});

function firstChoice(): boolean {
  const stored = localStorage.getItem(STORED_AS);
  return stored === null ? matchMedia('(prefers-color-scheme: dark)').matches : stored === '1';
}
