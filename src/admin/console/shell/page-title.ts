import { watchEffect } from 'vue';
import { useRoute } from 'vue-router';
import { isLoggedIn } from '../session.ts';
import { useText } from '../text/text.ts';
import { SHELL } from './shell-text.ts';

/** Names the browser's tab: the thing that is shown, its page and its tenant, the most telling first. */
export function usePageTitle(): void {
  const route = useRoute();
  const text = useText(SHELL);
  const pageOf = (name: string): string | undefined => ({ ...text.value.pages, ...text.value.things })[name];
  watchEffect(() => {
    const { key, eventId, tenant } = route.params;
    const parts = isLoggedIn.value ? [key ?? eventId, pageOf(String(route.name)), tenant] : [text.value.logIn];
    document.title = [...parts, 'v8-engine-host'].filter(Boolean).join(' · ');
  });
}
