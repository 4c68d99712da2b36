/** V8.SysConfig and V8.OsClientModel (v8-surface.md 5.2): the tenant's settings without what must stay in the host. */
import { hostCall } from './host-call.ts';

export const TENANT_SETTINGS = {
  'SysConfig.Read': hostCall(({ context }) => context.sysConfig()),
  'OsClientModel.Read': hostCall(({ context }) => context.tenantModel()),
} as const;
