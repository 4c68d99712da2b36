import { z } from 'zod';
import { SETTINGS_CHANGE } from '../../tenant-setting-routes.ts';
import { IN_DEMO, type RouteDocs } from '../route-doc.ts';

const SETTING = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  isSet: z.boolean(),
  isSecret: z.boolean(),
  isHostsOwn: z.boolean(),
});

/** A tenant's row of `sys_osclients`. */
export const TENANT_SETTING_DOCS: RouteDocs = {
  'GET /tenants/:tenant/settings': {
    tag: 'tenant',
    summary: {
      zh: '租户设置；密码只说明是否已设置。',
      en: 'Settings of a tenant; of secrets only whether they are set.',
    },
    data: z.array(SETTING),
    errors: [],
    example: { path: IN_DEMO },
  },
  'PATCH /tenants/:tenant/settings': {
    tag: 'tenant',
    summary: {
      zh: '修改给出的设置，null 表示取消；主机连接的设置只有主机管理员能改。',
      en: "Changes the given settings, null takes one away; those of the host's connections are the operator's.",
    },
    body: SETTINGS_CHANGE,
    data: z.array(SETTING),
    errors: ['COLUMN_MISSING', 'TENANT_UNKNOWN', 'DB_BUSY'],
    example: { path: IN_DEMO, body: { ClientName: 'Acme' } },
  },
};
