import { bilingual, ruleOf } from '../core/bilingual.ts';
import type { Binding, BindingRefusal } from '../core/binding.ts';
import type { ErrorRecord } from '../core/errors.ts';
import { moduleOf, moduleRefusal } from '../core/trusted-module.ts';
import type { TrustedModules } from '../ports/trusted-modules.ts';

/** Bindings that may be attached, and those whose module may not run. */
export interface CheckedBindings {
  readonly bindings: readonly Binding[];
  readonly refusals: readonly BindingRefusal[];
}

/**
 * Leaves out `Type` 2 rows of any tenant but the main one, and those whose module is not registered, not there or
 * changed since it was pinned (mq-mqtt.md 5.2). Each pass of the reconcile loop asks again.
 */
export async function checkModules(
  modules: TrustedModules,
  isMain: boolean,
  bindings: readonly Binding[],
): Promise<CheckedBindings> {
  const kept: Binding[] = [];
  const refusals: BindingRefusal[] = [];
  for (const binding of bindings) {
    const name = moduleOf(binding.engineKey);
    const error = name === undefined ? undefined : await refusalOf(modules, isMain, name);
    if (error === undefined) kept.push(binding);
    else refusals.push({ id: binding.id, queue: binding.logicalQueue, error: inBinding(binding, error) });
  }
  return { bindings: kept, refusals };
}

async function refusalOf(modules: TrustedModules, isMain: boolean, name: string): Promise<ErrorRecord | undefined> {
  if (isMain) return modules.check(name);
  return moduleRefusal(name, bilingual('只有主租户可以使用 Type 2', 'only the main tenant may use Type 2'));
}

function inBinding(binding: Binding, error: ErrorRecord): ErrorRecord {
  return { code: 'BINDING_INVALID', params: { queue: binding.logicalQueue, field: 'DllName', rule: ruleOf(error) } };
}
