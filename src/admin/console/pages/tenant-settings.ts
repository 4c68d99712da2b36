import { ElMessage } from 'element-plus';
import { computed, ref, watch } from 'vue';
import type { SettingView } from '../../../app/tenant-settings.ts';
import { SETTING_FIELDS, type SettingKind, type SettingValue } from '../../../core/tenant-setting-fields.ts';
import { call, tenantPath } from '../api/client.ts';
import { sentenceOf, useLoad } from '../api/load.ts';
import { may } from '../session.ts';
import { useTenant } from '../tenant.ts';
import { useText } from '../text/text.ts';
import { useUnsaved } from '../unsaved.ts';
import { SETTINGS } from './settings-text.ts';

/** Fields as they are typed, by the setting's name. */
type Typed = Record<string, string | boolean>;

/** A tenant's settings as a form: what was typed, what of it is a change, and what the host says about a field. */
export function useTenantSettings() {
  const text = useText(SETTINGS);
  const tenant = useTenant();
  const path = () => tenantPath(tenant.value, 'settings');
  const settings = useLoad(
    () => tenant.value,
    async () => (await call<readonly SettingView[]>('GET', path())).Data,
  );
  const typed = ref<Typed>({});
  /** What the fields began with, or had when they were saved: what differs is a change. */
  const base = ref<Typed>({});
  /** Secrets to take away. */
  const removed = ref<Record<string, boolean>>({});
  const problem = ref<{ readonly field: string; readonly message: string }>();
  const isSaving = ref(false);
  // What is being typed stays when the settings are read again.
  watch(settings.data, (views = []) => {
    const stored: Typed = Object.fromEntries(views.map((view) => [view.name, shownOf(view)]));
    const edited = Object.entries(typed.value).filter(([name, value]) => value !== base.value[name]);
    typed.value = { ...stored, ...Object.fromEntries(edited) };
    base.value = stored;
  });
  const change = computed(() => changeOf(base.value, typed.value, removed.value));
  const isChanged = computed(() => Object.keys(change.value).length > 0);
  useUnsaved(() => isChanged.value);

  async function save(): Promise<void> {
    isSaving.value = true;
    const given = { ...typed.value };
    problem.value = await call('PATCH', path(), { body: change.value }).then(
      () => undefined,
      (thrown: unknown) => problemOf(sentenceOf(thrown)),
    );
    isSaving.value = false;
    if (problem.value !== undefined) return;
    base.value = given;
    removed.value = {};
    ElMessage.success(text.value.saved);
    await settings.reload();
  }

  return { settings, typed, removed, problem, isSaving, isChanged, save };
}

/** Where the host connects to is its administrators' alone. */
export function mayChange({ isHostsOwn }: SettingView): boolean {
  return may('settings.change') && (!isHostsOwn || may('tenant.manage'));
}

/** How a setting is typed. */
export function kindOf(name: string): SettingKind {
  return SETTING_FIELDS.find((field) => field.name === name)?.kind ?? 'text';
}

function shownOf({ name, value }: SettingView): string | boolean {
  return kindOf(name) === 'switch' ? value === true : String(value ?? '');
}

function changeOf(
  base: Readonly<Typed>,
  typed: Readonly<Typed>,
  removed: Readonly<Record<string, boolean>>,
): Readonly<Record<string, SettingValue>> {
  const changed = Object.entries(typed).filter(([name, value]) => removed[name] || value !== base[name]);
  return Object.fromEntries(
    changed.map(([name, value]) => [name, removed[name] ? null : typedValue(kindOf(name), value)]),
  );
}

/** A port that is no number goes as it is, for the host to say so. */
function typedValue(kind: SettingKind, typed: string | boolean): SettingValue {
  if (typeof typed === 'boolean') return typed;
  if (typed.trim() === '') return null;
  return kind === 'port' && !Number.isNaN(Number(typed)) ? Number(typed) : typed;
}

/** The host's sentence names the field as `body.NAME`. */
function problemOf(message: string): { readonly field: string; readonly message: string } {
  return { field: /body\.(\w+)/.exec(message)?.[1] ?? '', message };
}
