import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';
import { MqttHost } from './mqtt-host.ts';
import { tempDir } from './temp-dir.ts';
import type { TestHostOptions } from './test-host.ts';

/** Account and password of the devices of `plant-b`. */
export const CHILD = { username: 'plant-b:b-device', password: 'b-password' } as const;

/** Writes columns of a tenant's row as an administrator does, beside the host. */
export function setColumns(dir: string, tenant: string, columns: Record<string, string | number>): void {
  const db = new DatabaseSync(join(dir, 'tenants', 'demo.db'), { timeout: 10_000 });
  const names = Object.keys(columns).map((name) => `${name} = ?`);
  db.prepare(`UPDATE sys_osclients SET ${names.join(', ')} WHERE OsClient = ?`).run(...Object.values(columns), tenant);
  db.close();
}

/** A broker with the tenants `demo` and `plant-b`; what `columns` says of the latter holds when this returns. */
export async function twoTenants(
  t: TestContext,
  { columns = {}, ...options }: TestHostOptions & { readonly columns?: Record<string, string | number> } = {},
): Promise<{ dir: string; host: MqttHost }> {
  const dir = tempDir(t);
  const host = await MqttHost.start(t, { dir, ...options });
  await host.host.host.services.addTenant('plant-b', undefined);
  setColumns(dir, 'plant-b', { MqttEnable: 1, MqttAccount: 'b-device', MqttPwd: 'b-password', ...columns });
  await eventually(async () => {
    await (await host.client({ clientId: 'probe', ...CHILD })).endAsync();
  }, 30_000);
  return { dir, host };
}
