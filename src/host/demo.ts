import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AdminServices } from '../admin/services.ts';
import { AppError } from '../core/errors.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

const SAMPLES = fileURLToPath(new URL('../../scripts-sample/', import.meta.url));

/** The sample that the commands of the start begin with. */
const FIRST_SAMPLE = 'order-intake';

/** Table and row in which the samples look up their ERP. */
const SETTING_TABLE = 'shop_setting';
const ERP_SETTING = 'ErpUrl';

/**
 * Loads the sample scripts for a tenant that has no engine yet, and tells them where the stub of their ERP listens.
 * Whatever a user changed stays: nothing is pushed a second time.
 * @returns whether the samples are there: a tenant with scripts of its own has none.
 */
export async function provideDemo(services: AdminServices, store: TenantStore, erpUrl: string): Promise<boolean> {
  const known = await store.engines.list();
  if (known.length === 0) {
    const outcome = await services.push(store.tenant, { files: readSamples(), prune: false, dryRun: false });
    if (!outcome.ok) {
      const [first] = outcome.refusals;
      throw first === undefined ? new AppError('INTERNAL') : new AppError(first.code, first.params);
    }
  }
  await setErpUrl(store, erpUrl);
  return known.length === 0 || known.some(({ key }) => key === FIRST_SAMPLE);
}

function readSamples(): { path: string; text: string }[] {
  return readdirSync(SAMPLES)
    .filter((name) => name.endsWith('.js') || name === 'tables.json')
    .map((name) => ({ path: name, text: readFileSync(`${SAMPLES}${name}`, 'utf8') }));
}

/** The port may differ from the last start's, so the address is written at each one. */
async function setErpUrl(store: TenantStore, erpUrl: string): Promise<void> {
  if ((await store.tables.describe(SETTING_TABLE)) === undefined) return;
  const where = [{ glue: 'and', column: 'Name', operator: 'eq', value: ERP_SETTING }] as const;
  await store.tables.update({ table: SETTING_TABLE, where, includeDeleted: false }, { Value: erpUrl });
}
