import type { Permission } from '../core/access.ts';

/** What a caller needs for each route below `/api/v1`. A route that is not here does not start. */
export const ROUTE_PERMISSIONS: ReadonlyMap<string, Permission> = new Map<string, Permission>([
  ['GET /tenants', 'tenant.list'],
  ['POST /tenants', 'tenant.manage'],
  ['POST /tenants/:tenant/reload', 'tenant.reload'],
  ['POST /tenants/:tenant/rabbitmq-setup', 'tenant.manage'],
  ['PUT /tenants/:tenant/engines', 'engine.push'],
  ['POST /tenants/:tenant/engines/:key/run', 'engine.run'],
  ['POST /tenants/:tenant/queues/:queue/messages', 'message.send'],
  ['GET /tenants/:tenant/events/:eventId', 'record.read'],
  ['GET /tenants/:tenant/deliveries', 'record.read'],
  ['GET /tenants/:tenant/dead-letters', 'record.read'],
  ['GET /tenants/:tenant/dead-letter-groups', 'record.read'],
  ['GET /tenants/:tenant/dead-letters/:eventId', 'record.read'],
  ['POST /tenants/:tenant/dead-letters/replay', 'dead-letter.change'],
  ['POST /tenants/:tenant/dead-letters/purge', 'dead-letter.change'],
  ['POST /tenants/:tenant/dead-letters/:eventId/edit', 'dead-letter.change'],
  ['POST /tenants/:tenant/try', 'message.try'],
  ['GET /tenants/:tenant/limits', 'record.read'],
  ['GET /tenants/:tenant/mqtt', 'record.read'],
  ['GET /tenants/:tenant/mqtt/clients', 'record.read'],
  ['GET /tenants/:tenant/mqtt/retained', 'record.read'],
  ['GET /tenants/:tenant/mqtt/bindings', 'record.read'],
  ['POST /tenants/:tenant/mqtt/publish', 'message.send'],
  ['POST /tenants/:tenant/mqtt/clients/:clientId/disconnect', 'mqtt.change'],
]);
