import { addBinding, type BindingChangeServices, changeBinding, removeBinding } from '../app/manage-bindings.ts';
import type { HostServicesParts } from './host-services.ts';
import type { AdminServices } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

type BindingMethods = Pick<
  AdminServices,
  'bindings' | 'bindingStates' | 'addBinding' | 'changeBinding' | 'removeBinding'
>;

/** Bindings of a tenant: its rows, their changes, and how they do on this host. */
export function bindingServices(parts: HostServicesParts): BindingMethods {
  const { directory } = parts;
  const changes: BindingChangeServices = { ...parts.pushes, queue: parts.sends.queue };
  return {
    bindings: async (tenant) => storeOf(directory, tenant).bindings.list(),
    bindingStates: async (tenant, lang) => parts.bindingStates(storeOf(directory, tenant), lang),
    addBinding: async (tenant, origin, draft) =>
      addBinding(changes, { store: storeOf(directory, tenant), origin }, draft),
    changeBinding: async (tenant, origin, id, draft) =>
      changeBinding(changes, { store: storeOf(directory, tenant), origin }, id, draft),
    removeBinding: async (tenant, origin, id) =>
      removeBinding(changes, { store: storeOf(directory, tenant), origin }, id),
  };
}
