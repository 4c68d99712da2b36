import type { FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { addressesBeside } from '../core/platform-operation.ts';

/** For a path that nobody has, and for a known one with another method: 404, with what is there where people guess. */
export function unknownRoute(request: FastifyRequest): AppError {
  const path = request.url.split('?', 1)[0] ?? '';
  const what = `${request.method} ${path.slice(0, 200)}`;
  const known = addressesBeside(path);
  return known === undefined
    ? new AppError('NOT_FOUND', { what })
    : new AppError('PLATFORM_ADDRESS_MISSING', { what, known });
}
