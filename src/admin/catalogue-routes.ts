import type { FastifyInstance } from 'fastify';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { type EngineSource, parseEngineKey } from '../core/engine.ts';
import { orThrow } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { TableInfo } from '../ports/table-store.ts';
import { pathPart, type RouteContext, tenantOf, withTimeZone } from './route-context.ts';

/** `GET tenants/{t}/engines`, `…/engines/{key}`, `…/tables`, `…/overview`: what a tenant has and how it does. */
export function addCatalogueRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/engines', async (request): Promise<DosResult> => {
    const engines = await services.engines(tenantOf(request));
    return succeed(engines.map(presentEngine), { DataCount: engines.length });
  });

  api.get('/tenants/:tenant/engines/:key', async (request): Promise<DosResult> => {
    const engineKey = orThrow(parseEngineKey(pathPart(request, 'key')));
    const engine = await services.engine(tenantOf(request), engineKey);
    return succeed({ ...presentEngine(engine), source: engine.source });
  });

  api.get('/tenants/:tenant/tables', async (request): Promise<DosResult> => {
    const tables = await services.tables(tenantOf(request));
    return succeed(tables.map(presentTable), { DataCount: tables.length });
  });

  api.get('/tenants/:tenant/overview', async (request): Promise<DosResult> => {
    const overview = await services.overview(tenantOf(request), langOf(request));
    return withTimeZone(succeed(overview as unknown as JsonObject), context);
  });
}

function presentTable({ name, writable, columns }: TableInfo) {
  return { name, writable, columns: columns.map(({ name: column, kind }) => ({ name: column, kind })) };
}

function presentEngine({ key, name, version, enabled, stopHttp }: Omit<EngineSource, 'source'>) {
  return { key, name, version, enabled, stopHttp };
}
