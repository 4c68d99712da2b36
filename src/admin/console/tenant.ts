import { type ComputedRef, computed } from 'vue';
import { useRoute } from 'vue-router';

/** The tenant whose page this is. */
export function useTenant(): ComputedRef<string> {
  return useRouteText('tenant');
}

/** A part of the page's path, or a value of its query; empty when it is not there. */
export function useRouteText(name: string): ComputedRef<string> {
  const route = useRoute();
  return computed(() => String(route.params[name] ?? route.query[name] ?? ''));
}
