import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isAllowed } from '../core/access.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { DosResult } from '../core/dos-result.ts';
import { type Lang, orThrow } from '../core/errors.ts';
import { parseTenantId } from '../core/tenant.ts';
import type { CallerOf, IdentifiedOf, Recheck } from './access-guard.ts';
import type { Answer } from './error-answer.ts';
import type { IdentityAdmin } from './identity-admin.ts';
import type { TraceOf } from './request-spans.ts';
import type { AdminServices } from './services.ts';
import type { CookieOptions } from './session-cookie.ts';
import { validate } from './validate.ts';

/** What every route is given. */
export interface RouteContext {
  readonly services: AdminServices;
  /** IANA name of the host's time zone. */
  readonly timezone: string;
  langOf(request: FastifyRequest): Lang;
  readonly traceOf: TraceOf;
  readonly callerOf: CallerOf;
  readonly identifiedOf: IdentifiedOf;
  readonly recheck: Recheck;
  /** The answer to a request that failed; what an operator must act on goes into the log. */
  failureOf(thrown: unknown, request: FastifyRequest): Answer;
  readonly identity: IdentityAdmin;
  readonly cookies: CookieOptions;
}

/** By whom and from where a request changes something. */
export function originOf(request: FastifyRequest, { callerOf }: Pick<RouteContext, 'callerOf'>): ChangeOrigin {
  return { by: callerOf(request).by, address: request.ip };
}

/** True when the caller may read what messages and logs say, and not only that they are there. */
export function mayReadContent(request: FastifyRequest, { callerOf }: Pick<RouteContext, 'callerOf'>): boolean {
  return isAllowed(callerOf(request), 'content.read');
}

/** The tenant named in the path. @throws AppError TENANT_INVALID. */
export function tenantOf(request: FastifyRequest): string {
  return orThrow(parseTenantId(pathPart(request, 'tenant')));
}

/** A part of the path, decoded. */
export function pathPart(request: FastifyRequest, name: string): string {
  const params = request.params as Readonly<Record<string, string>>;
  return params[name] ?? '';
}

/** The checked query; `_Lang` may stand in any. @throws AppError REQUEST_INVALID naming the parameter. */
export function readQuery<T extends z.ZodRawShape>(request: FastifyRequest, shape: T, lang: Lang) {
  const schema = z.strictObject({ ...shape, _Lang: z.string().optional() });
  return validate(schema, { ...(request.query as object) }, 'query', lang);
}

/**
 * An answer with times: they are milliseconds UTC, `TimeZone` says in which zone the host's own texts are, so that a
 * reader far away can write both in the same one.
 */
export function withTimeZone(result: DosResult, { timezone }: RouteContext): DosResult & { readonly TimeZone: string } {
  return { ...result, TimeZone: timezone };
}

/** Rows of one listing. */
export const listLimit = z.coerce.number().int().min(1).max(1000).default(100);
