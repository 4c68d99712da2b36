import { onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue';
import type { LogLine } from '../../../ports/journal.ts';
import { followLogs } from '../api/follow-logs.ts';
import { sentenceOf } from '../api/load.ts';

/** Lines that the page keeps; older ones are in the log itself. */
const KEPT = 500;

/** A tenant's log as it grows, newest first. @param engine title of the lines; empty for all. */
export function useLiveLog(tenant: Readonly<Ref<string>>, engine: Readonly<Ref<string>>) {
  const lines = shallowRef<readonly LogLine[]>([]);
  /** Lines that came while it was paused, newest first. */
  const held = shallowRef<readonly LogLine[]>([]);
  const isPaused = ref(false);
  const isConnected = ref(false);
  const error = ref('');
  let end = new AbortController();

  function follow(): void {
    end.abort();
    const mine = new AbortController();
    end = mine;
    [lines.value, held.value, error.value] = [[], [], ''];
    const follower = {
      onLine: (line: LogLine) => {
        if (mine.signal.aborted) return;
        const target = isPaused.value ? held : lines;
        target.value = [line, ...target.value].slice(0, KEPT);
      },
      onConnected: (value: boolean) => {
        if (!mine.signal.aborted) isConnected.value = value;
      },
    };
    void followLogs(tenant.value, engine.value, follower, mine.signal).catch((thrown: unknown) => {
      isConnected.value = false;
      error.value = sentenceOf(thrown);
    });
  }

  watch(isPaused, (paused) => {
    if (paused) return;
    lines.value = [...held.value, ...lines.value].slice(0, KEPT);
    held.value = [];
  });
  const clear = (): void => {
    [lines.value, held.value] = [[], []];
  };
  watch([tenant, engine], follow, { immediate: true });
  onScopeDispose(() => end.abort());
  return { lines, held, isPaused, isConnected, error, follow, clear };
}
