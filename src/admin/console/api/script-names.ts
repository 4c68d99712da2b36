import { renderScriptTypes, type TypedTable } from '../../../core/script-types.ts';
import { call, tenantPath } from './client.ts';
import type { BindingView, EngineView } from './shapes.ts';

/**
 * Declarations of what the tenant has: tables with their fields, queues that are bound, engines; as `v8host types`
 * writes them into a project. @throws ApiFailure.
 */
export async function readTenantTypes(tenant: string): Promise<string> {
  const read = async <T>(what: string) => (await call<readonly T[]>('GET', tenantPath(tenant, what))).Data;
  const [tables, bindings, engines] = await Promise.all([
    read<TypedTable>('tables'),
    read<BindingView>('bindings'),
    read<EngineView>('engines'),
  ]);
  return renderScriptTypes({
    tables,
    queues: bindings.map(({ queue }) => queue).filter((queue) => queue !== ''),
    engines: engines.map(({ key }) => key),
  });
}
