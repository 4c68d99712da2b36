import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, isPlatformAdmin } from '../core/access.ts';
import type { EntryAnswer } from '../core/entry-answer.ts';
import { type EntrySources, entryValue } from '../core/entry-param.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import type { PlatformOperation } from '../core/platform-operation.ts';
import { sameTenant } from '../core/tenant.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { EntryToken } from './entry-login.ts';
import { sendAnswer, sendRefusal } from './entry-reply.ts';
import { manageMq, type PlatformRequest, sendByController } from './platform-mq.ts';
import { commandByController, manageMqtt, statusByController } from './platform-mqtt.ts';
import type { AdminServices } from './services.ts';
import { unknownRoute } from './unknown-route.ts';

export interface PlatformCall {
  readonly operation: PlatformOperation;
  readonly sources: EntrySources;
  readonly token: EntryToken;
  /** Of the path's suffix `--OsClient--{tenant}--`. */
  readonly pathTenant: string | undefined;
  /** Text of a JSON body. */
  readonly bodyJson: string | undefined;
  /** A JSON body that is a text and no object. */
  readonly bodyText: string | undefined;
  readonly lang: Lang;
  /** Of the request. */
  readonly trace: TraceContext | undefined;
}

/** Controllers of older versions; they answer who may not with a status of its own, engines with 200. */
const CONTROLLERS: ReadonlyMap<PlatformOperation, string> = new Map<PlatformOperation, string>([
  ['mq.send', 'POST'],
  ['mqtt.status', 'GET'],
  ['mqtt.command', 'POST'],
]);

/** Answers at one of the platform's own addresses: only administrators, only in the tenant of their login. */
export async function answerPlatform(
  services: AdminServices,
  request: FastifyRequest,
  reply: FastifyReply,
  call: PlatformCall,
): Promise<FastifyReply> {
  const { operation, lang } = call;
  const method = CONTROLLERS.get(operation);
  if (method !== undefined && request.method !== method) throw unknownRoute(request);
  const admin = administratorOf(call);
  if ('error' in admin) {
    const isDenied = method !== undefined && admin.error.code !== 'ENTRY_LOGIN';
    return sendRefusal(reply, admin.error, lang, isDenied ? 403 : 200);
  }
  const { by, tenant } = admin;
  await services.takeTurn(tenant, by.id);
  const { sources, bodyJson, bodyText, trace } = call;
  const origin = { by, address: request.ip };
  const asked = { tenant, userId: by.id, origin, sources, bodyJson, bodyText, lang, trace };
  return sendAnswer(reply, await perform(services, operation, asked), lang);
}

async function perform(
  services: AdminServices,
  operation: PlatformOperation,
  request: PlatformRequest,
): Promise<EntryAnswer> {
  switch (operation) {
    case 'mq.send':
      return { kind: 'json', value: { ...(await sendByController(services, request)) } };
    case 'mq.manage':
      return { kind: 'json', value: { ...(await manageMq(services, request)) } };
    case 'mqtt.status':
      return statusByController(services, request);
    case 'mqtt.command':
      return commandByController(services, request);
    case 'mqtt.manage':
      return manageMqtt(services, request);
  }
}

/**
 * The administrator and the tenant of the login, which is the only one they act in (mq-mqtt.md 7, 8): a controller
 * refuses the name of another tenant, a managed engine does not ask for one.
 */
function administratorOf(call: PlatformCall): { tenant: string; by: Actor } | { error: ErrorRecord } {
  const { operation, token, sources, pathTenant } = call;
  const { caller, tenant } = token;
  if (caller === undefined) return { error: { code: 'ENTRY_LOGIN', params: {} } };
  if (!isPlatformAdmin(caller) || tenant === undefined) return { error: { code: 'PLATFORM_ADMIN_NEEDED', params: {} } };
  if (pathTenant !== undefined && !sameTenant(pathTenant, tenant))
    return { error: { code: 'ENTRY_LOGIN', params: {} } };
  const named = CONTROLLERS.has(operation) ? String(entryValue(sources, 'OsClient') ?? '').trim() : '';
  if (named !== '' && !sameTenant(named, tenant)) return { error: { code: 'TOKEN_FOREIGN', params: { tenant } } };
  return { tenant, by: caller.by };
}
