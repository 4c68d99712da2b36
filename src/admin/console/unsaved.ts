import { onScopeDispose } from 'vue';
import type { Router } from 'vue-router';
import { COMMON } from './text/common.ts';
import { language } from './text/text.ts';

/** What is shown and would be lost with it: each says whether it holds something that is not saved. */
const drafts = new Set<() => boolean>();

/** Nobody leaves unasked while `isChanged` says yes; as long as the component that calls this is there. */
export function useUnsaved(isChanged: () => boolean): void {
  drafts.add(isChanged);
  onScopeDispose(() => drafts.delete(isChanged));
}

/** Asks when something would be lost. @returns true when it may be, or there is nothing. */
export function mayLeave(): boolean {
  return !isAnythingUnsaved() || window.confirm(COMMON[language.value].leave);
}

/**
 * Asks before another page is shown and before the tab is closed or loaded again. One guard of the router and not one of
 * each page: another address of the same page leaves nothing to a guard that waits for the page to go.
 */
export function guardUnsaved(router: Router): void {
  router.beforeEach(() => mayLeave());
  window.addEventListener('beforeunload', (event) => {
    if (isAnythingUnsaved()) event.preventDefault();
  });
}

/** True while something that is shown would be lost. */
export function isAnythingUnsaved(): boolean {
  return [...drafts].some((isChanged) => isChanged());
}
