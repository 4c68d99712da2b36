import { MongoServers } from '../adapters/mongo/mongo-servers.ts';
import type { Config } from '../config/load-config.ts';
import { orThrow } from '../core/errors.ts';
import { mongoUrlOf } from '../core/mongo-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { DocumentServers } from '../ports/documents.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory, TenantSettings } from '../ports/tenant-store.ts';

/** A changed connection string is seen after this at the latest. Milliseconds. */
const SETTINGS_MS = 5_000;

/** The MongoDB servers that the tenants' rows and `mongoUrl` name. Nothing is connected before a script asks. */
export function openDocuments(
  config: Config,
  { directory, clock, log }: { readonly directory: TenantDirectory; readonly clock: Clock; readonly log: Log },
): DocumentServers {
  const mongoUrl = config.mongoUrl?.reveal();
  const settings = remembered(clock, () => directory.settings());
  return new MongoServers({
    log: log.child('adapters.mongo'),
    localText: (ms) => clock.localText(ms),
    urlOf: async (tenant) =>
      orThrow(mongoUrlOf(tenant, { mainTenant: config.tenant, mongoUrl, rows: await settings() })),
  });
}

/** Asks once for the calls of some seconds; a failed question is asked again. */
function remembered(
  clock: Clock,
  ask: () => Promise<readonly TenantSettings[]>,
): () => Promise<readonly TenantSettings[]> {
  let asked: { readonly at: number; readonly answer: Promise<readonly TenantSettings[]> } | undefined;
  return async () => {
    const age = asked === undefined ? SETTINGS_MS : clock.now() - asked.at;
    if (asked === undefined || age < 0 || age >= SETTINGS_MS) asked = { at: clock.now(), answer: ask() };
    const current = asked;
    try {
      return await current.answer;
    } catch (e: unknown) {
      if (asked === current) asked = undefined;
      throw e;
    }
  };
}
