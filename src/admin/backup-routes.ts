import { isAbsolute } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { readBody } from './json-body.ts';
import { originOf, type RouteContext } from './route-context.ts';

export const BACKUP = z.strictObject({
  dir: z.string().refine(isAbsolute, 'an absolute path on the machine of the host').optional(),
});

/** `POST backups`: copies the data directory while the host runs. */
export function addBackupRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.post('/backups', async (request, reply): Promise<DosResult> => {
    const { dir } = readBody(request, BACKUP, langOf(request));
    const report = await services.backUp(dir, originOf(request, context));
    reply.code(201);
    const { files, elsewhere } = report;
    const data = { dir: report.dir, files: files.map((file) => ({ ...file })), elsewhere: [...elsewhere] };
    return succeed(data, { DataCount: files.length });
  });
}
