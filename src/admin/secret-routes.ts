import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { JsonObject } from '../core/json.ts';
import type { SecretsStatus } from '../ports/secret-box.ts';
import { readBody } from './json-body.ts';
import { originOf, type RouteContext } from './route-context.ts';

export const ROTATION = z.strictObject({ sealPlain: z.boolean().default(false) });

/** `GET secrets`, `POST secrets/rotate`: how stored secrets are kept, never what they are. */
export function addSecretRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/secrets', async (): Promise<DosResult> => succeed(presentStatus(await services.secrets())));
  api.post('/secrets/rotate', async (request): Promise<DosResult> => {
    const { sealPlain } = readBody(request, ROTATION, langOf(request));
    const report = await services.rotateSecrets({ sealPlain }, originOf(request, context));
    const { isNewKey, resealed, sealedPlain } = report;
    return succeed({ ...presentStatus(report), isNewKey, resealed, sealedPlain });
  });
}

function presentStatus({ keys, sealed, plain, unreadable }: SecretsStatus): JsonObject {
  return {
    keys: [...keys],
    sealed: { ...sealed },
    plain: plain.map((place) => ({ ...place })),
    unreadable: unreadable.map((secret) => ({ ...secret })),
  };
}
