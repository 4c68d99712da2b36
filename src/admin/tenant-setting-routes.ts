import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SettingView } from '../app/tenant-settings.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { SETTING_FIELDS, type SettingField } from '../core/tenant-setting-fields.ts';
import { readBody } from './json-body.ts';
import { originOf, type RouteContext, tenantOf } from './route-context.ts';
import { ownRule } from './validate.ts';

const NO_CONTROLS = ownRule('不得含控制字符', 'no control characters');

/** Of a field what its column can hold; what it must mean is checked with the other tenants' settings. */
function schemaOf({ kind, length, isSecret }: SettingField) {
  if (kind === 'switch') return z.boolean();
  if (kind === 'port') return z.int().min(1).max(65_535);
  const text = isSecret ? z.string() : z.string().trim();
  return text.max(length).refine((value) => !/\p{Cc}/u.test(value), NO_CONTROLS);
}

export const SETTINGS_CHANGE = z
  .strictObject(Object.fromEntries(SETTING_FIELDS.map((field) => [field.name, schemaOf(field).nullable().optional()])))
  .refine((change) => Object.keys(change).length > 0, ownRule('至少修改一项', 'at least one setting'));

/** `GET|PATCH tenants/{t}/settings`: the tenant's row of `sys_osclients`; secrets go in and never come out. */
export function addTenantSettingRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const present = (views: readonly SettingView[]): DosResult =>
    succeed(
      views.map((view) => ({ ...view })),
      { DataCount: views.length },
    );
  api.get('/tenants/:tenant/settings', async (request): Promise<DosResult> => {
    return present(await services.tenantSettings(tenantOf(request)));
  });

  api.patch('/tenants/:tenant/settings', async (request): Promise<DosResult> => {
    const change = readBody(request, SETTINGS_CHANGE, langOf(request));
    const by = { ...originOf(request, context), caller: context.callerOf(request) };
    const given = Object.entries(change).filter((entry): entry is [string, string | number | boolean | null] => {
      return entry[1] !== undefined;
    });
    return present(await services.changeTenantSettings(tenantOf(request), by, Object.fromEntries(given)));
  });
}
