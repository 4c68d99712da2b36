import { readOverview } from '../app/read-overview.ts';
import { readSchema } from '../app/read-schema.ts';
import { AppError } from '../core/errors.ts';
import type { HostServicesParts } from './host-services.ts';
import type { AdminServices } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

type CatalogueMethods = Pick<AdminServices, 'engines' | 'engine' | 'tables' | 'overview'>;

/** What a tenant has and how it does, over the tenant's own store. */
export function catalogueServices(parts: HostServicesParts): CatalogueMethods {
  const { directory } = parts;
  return {
    engines: async (tenant) => storeOf(directory, tenant).engines.list(),
    engine: async (tenant, engineKey) => {
      const engine = await storeOf(directory, tenant).engines.find(engineKey);
      if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
      return engine;
    },
    tables: async (tenant) => readSchema(storeOf(directory, tenant)),
    overview: async (tenant, lang) => {
      const sources = { clock: parts.deadLetters.clock, queue: parts.sends.queue };
      return readOverview(sources, storeOf(directory, tenant), lang);
    },
  };
}
