import { isAbsolute } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { succeed } from '../core/dos-result.ts';
import { readBody } from './json-body.ts';
import { answerLongWork } from './progress-answer.ts';
import { originOf, type RouteContext } from './route-context.ts';

export const BACKUP = z.strictObject({
  dir: z.string().refine(isAbsolute, 'an absolute path on the machine of the host').optional(),
});

/** `POST backups`: copies the data directory while the host runs. */
export function addBackupRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.post('/backups', async (request, reply) => {
    const { dir } = readBody(request, BACKUP, langOf(request));
    return answerLongWork(request, reply, context, async (note) => {
      const report = await services.backUp(dir, originOf(request, context), note);
      const { files, elsewhere } = report;
      const data = { dir: report.dir, files: files.map((file) => ({ ...file })), elsewhere: [...elsewhere] };
      return { status: 201, body: succeed(data, { DataCount: files.length }) };
    });
  });
}
