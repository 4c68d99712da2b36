import type { EngineVersionView } from '../../../ports/engine-versions.ts';
import { language } from '../text/text.ts';
import { ApiFailure, call, tenantPath } from './client.ts';
import type { EngineView } from './shapes.ts';

export type VersionView = EngineVersionView;

/** What the host refused in a script; without a place it is about the whole of it. */
export interface Refusal {
  readonly code: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** The end of a save. `changed`: somebody else saved the engine after it was read, so nothing was stored. */
export type SaveEnd =
  | { readonly kind: 'saved' }
  | { readonly kind: 'refused'; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'changed' };

/** Reads an engine with its source; one that is not there has an empty version and this source. @throws ApiFailure. */
export async function readEngine(
  tenant: string,
  key: string,
  sample: Readonly<Record<'zh' | 'en', string>>,
): Promise<EngineView> {
  try {
    return (await call<EngineView>('GET', tenantPath(tenant, 'engines', key))).Data;
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure) || thrown.code !== 'ENGINE_MISSING') throw thrown;
    return { key, name: key, version: '', enabled: true, stopHttp: false, source: sample[language.value] };
  }
}

/**
 * Stores one engine and the bindings that its header asks for.
 * @param base version that was edited; empty for an engine that was not there.
 * @throws ApiFailure for anything but refusals and somebody else's change.
 */
export function saveEngine(tenant: string, key: string, source: string, base: string): Promise<SaveEnd> {
  const body = { source, base: base === '' ? null : base };
  return endOfSave(call('PUT', tenantPath(tenant, 'engines', key), { body }));
}

/** Saves the source of an older version again. @throws as `saveEngine`. */
export function rollBackEngine(tenant: string, key: string, no: number, base: string): Promise<SaveEnd> {
  return endOfSave(call('POST', tenantPath(tenant, 'engines', key, 'rollback'), { body: { no, base } }));
}

async function endOfSave(answer: Promise<unknown>): Promise<SaveEnd> {
  try {
    await answer;
    return { kind: 'saved' };
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure)) throw thrown;
    if (thrown.code === 'ENGINE_CHANGED') return { kind: 'changed' };
    if (thrown.code !== 'PUSH_REFUSED') throw thrown;
    return { kind: 'refused', refusals: (thrown.data as { refusals: readonly Refusal[] }).refusals };
  }
}
