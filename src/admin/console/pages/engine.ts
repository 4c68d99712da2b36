import { ElMessage } from 'element-plus';
import { computed, ref, shallowRef, watch } from 'vue';
import { call, tenantPath } from '../api/client.ts';
import { type Refusal, readEngine, rollBackEngine, type SaveEnd, saveEngine } from '../api/engines.ts';
import { sentenceOf, useLoad } from '../api/load.ts';
import type { EngineView } from '../api/shapes.ts';
import { useRouteText, useTenant } from '../tenant.ts';
import { useText } from '../text/text.ts';
import { useUnsaved } from '../unsaved.ts';
import { ENGINES, NEW_ENGINE } from './engines-text.ts';

/** One engine: its source as it is edited, and saving that overwrites nobody's work unasked. */
export function useEngine() {
  const edited = useEditedEngine();
  const { tenant, engineKey, engine } = edited;

  async function switchTo(enabled: boolean): Promise<void> {
    const path = tenantPath(tenant.value, 'engines', engineKey.value);
    const isDone = await call('PATCH', path, { body: { enabled } }).then(() => true, complain);
    if (isDone === true) await engine.reload();
  }

  return { ...edited, ...useSaves(edited), switchTo };
}

/** `base` is the version that the text in the editor began with. */
function useEditedEngine() {
  const tenant = useTenant();
  const engineKey = useRouteText('key');
  const read = () => readEngine(tenant.value, engineKey.value, NEW_ENGINE);
  const engine = useLoad(() => [tenant.value, engineKey.value], read);
  const source = ref('');
  const base = ref('');
  const isChanged = computed(() => source.value !== engine.data.value?.source);
  /** What of the editor the host has, or what its reader gave up: only that gives way to what is read next. */
  let settled = '';
  const settle = (text = source.value): void => {
    settled = text;
  };
  useUnsaved(() => source.value !== settled);
  watch(engine.data, (found) => {
    if (found === undefined) return;
    const { source: stored = '', version } = found;
    const isTaken = source.value === settled;
    if (!isTaken && stored !== settled) return;
    if (isTaken) source.value = stored;
    base.value = version;
    settle(stored);
  });
  return { tenant, engineKey, engine, source, base, isChanged, read, settle };
}

function useSaves({ tenant, engineKey, engine, source, base, read, settle }: ReturnType<typeof useEditedEngine>) {
  const text = useText(ENGINES);
  const refusals = ref<readonly Refusal[]>([]);
  /** What somebody else saved meanwhile; there while it is not decided whose text stays. */
  const theirs = shallowRef<EngineView>();
  const isSaving = ref(false);

  async function store(work: () => Promise<SaveEnd>): Promise<void> {
    isSaving.value = true;
    const given = source.value;
    const end = await work().catch(complain);
    refusals.value = end?.kind === 'refused' ? end.refusals : [];
    if (end?.kind === 'changed') theirs.value = await read().catch(complain);
    isSaving.value = false;
    if (end?.kind !== 'saved') return;
    theirs.value = undefined;
    settle(given);
    ElMessage.success(text.value.saved);
    await engine.reload();
  }

  /** Gives up what was edited here. */
  async function takeTheirs(): Promise<void> {
    theirs.value = undefined;
    refusals.value = [];
    settle();
    await engine.reload();
  }

  const before = () => theirs.value?.version ?? base.value;
  const save = () => store(() => saveEngine(tenant.value, engineKey.value, source.value, before()));
  const rollBack = (no: number) => store(() => rollBackEngine(tenant.value, engineKey.value, no, before()));
  return { refusals, theirs, isSaving, save, takeTheirs, rollBack };
}

function complain(thrown: unknown): undefined {
  ElMessage.error({ message: sentenceOf(thrown), duration: 8000, showClose: true });
}
