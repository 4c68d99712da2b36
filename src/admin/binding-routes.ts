import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MAX_PREFETCH, MAX_RETRY_COUNT, MAX_TIMEOUT_SECONDS } from '../core/binding-limits.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { JsonObject } from '../core/json.ts';
import type { StoredBinding } from '../ports/tenant-store.ts';
import { presentBindings, presentChanged } from './binding-view.ts';
import { readBody } from './json-body.ts';
import { originOf, pathPart, type RouteContext, tenantOf } from './route-context.ts';

/** Lengths are those of the columns; what the texts say is checked as the rows are. */
const SETTINGS = {
  enabled: z.boolean().optional(),
  retryCount: z.int().min(0).max(MAX_RETRY_COUNT).optional(),
  inbox: z.boolean().optional(),
  legacyAck: z.boolean().optional(),
  prefetch: z.int().min(1).max(MAX_PREFETCH).optional(),
  timeoutSeconds: z.int().min(1).max(MAX_TIMEOUT_SECONDS).nullable().optional(),
  backoff: z.string().max(50).optional(),
  queueType: z.enum(['classic', 'quorum']).nullable().optional(),
  orderKey: z.string().trim().max(100).nullable().optional(),
};

const QUEUE = z.string().trim().min(1).max(200);
const ENGINE_KEY = z.string().trim().min(1).max(50);

export const NEW_BINDING = z.strictObject({ queue: QUEUE, engineKey: ENGINE_KEY, ...SETTINGS });
export const BINDING_EDIT = z.strictObject({ queue: QUEUE.optional(), engineKey: ENGINE_KEY.optional(), ...SETTINGS });

/** `…/bindings`: which engine handles which queue; `…/binding-states`: how each does on this host. */
export function addBindingRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/bindings', async (request): Promise<DosResult> => {
    const rows = presentBindings(await services.bindings(tenantOf(request)), langOf(request));
    return succeed(rows, { DataCount: rows.length });
  });

  api.get('/tenants/:tenant/binding-states', async (request): Promise<DosResult> => {
    const bindings = await services.bindingStates(tenantOf(request), langOf(request));
    return succeed(bindings as unknown as readonly JsonObject[], { DataCount: bindings.length });
  });
  addChangeRoutes(api, context);
}

function addChangeRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const present = async (request: FastifyRequest, stored: StoredBinding): Promise<DosResult> => {
    const lang = langOf(request);
    return succeed(presentChanged(stored, await services.bindingStates(tenantOf(request), lang), lang));
  };
  api.post('/tenants/:tenant/bindings', async (request, reply): Promise<DosResult> => {
    const draft = readBody(request, NEW_BINDING, langOf(request));
    const stored = await services.addBinding(tenantOf(request), originOf(request, context), draft);
    reply.code(201);
    return present(request, stored);
  });

  api.patch('/tenants/:tenant/bindings/:id', async (request): Promise<DosResult> => {
    const draft = readBody(request, BINDING_EDIT, langOf(request));
    const place = originOf(request, context);
    return present(request, await services.changeBinding(tenantOf(request), place, pathPart(request, 'id'), draft));
  });

  api.delete('/tenants/:tenant/bindings/:id', async (request): Promise<DosResult> => {
    await services.removeBinding(tenantOf(request), originOf(request, context), pathPart(request, 'id'));
    return succeed();
  });
}
