import {
  addTopicBinding,
  changeTopicBinding,
  listTopicBindings,
  removeTopicBinding,
  type TopicBindingPlace,
} from '../app/manage-topic-bindings.ts';
import type { MqttService } from '../app/mqtt-service.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { noteChange } from './note-change.ts';
import type { MqttAdmin } from './services.ts';

/** The broker of this host for the routes. @param storeOf throws for a tenant that is not open. */
export function createMqttAdmin(mqtt: MqttService, storeOf: (tenant: string) => TenantStore): MqttAdmin {
  const checked = (tenant: string): string => storeOf(tenant).tenant;
  return {
    status: async (tenant) => {
      const name = checked(tenant);
      const sessions = await mqtt.sessions(name);
      return {
        isRunning: mqtt.isRunning,
        isStandby: mqtt.isStandby,
        listeners: mqtt.listeners,
        connected: sessions.filter(({ online }) => online).length,
        sessions: sessions.length,
        queued: sessions.reduce((sum, { queued }) => sum + queued, 0),
        dropped: sessions.reduce((sum, { dropped }) => sum + dropped, 0),
      };
    },
    sessions: async (tenant) => mqtt.broker.sessions(checked(tenant)),
    retained: async (tenant) => mqtt.broker.retained(checked(tenant)),
    publish: async (tenant, draft, origin) => {
      const store = storeOf(tenant);
      const message = mqtt.check(store.tenant, draft);
      const subscribers = await mqtt.publish(store.tenant, message);
      const { qos, retain, payload } = draft;
      const after = { qos, retain, bytes: payload.byteLength, subscribers };
      await noteChange(store, origin, { action: 'mqtt.published', target: draft.topic, after });
      return subscribers;
    },
    disconnect: async (tenant, clientId, origin) => {
      const store = storeOf(tenant);
      const isDone = await mqtt.broker.disconnect(store.tenant, clientId);
      if (isDone) await noteChange(store, origin, { action: 'mqtt.client-disconnected', target: clientId });
      return isDone;
    },
    ...topicBindings(mqtt, storeOf),
  };
}

/** Rows are changed wherever the broker runs, and before there is one. */
function topicBindings(
  mqtt: MqttService,
  storeOf: (tenant: string) => TenantStore,
): Pick<MqttAdmin, 'bindings' | 'addBinding' | 'changeBinding' | 'removeBinding'> {
  const placeOf = (tenant: string, origin: ChangeOrigin): TopicBindingPlace => {
    const store = storeOf(tenant);
    const changed = (): void => mqtt.handOver.forget(store.tenant);
    return { store, scope: mqtt.topicScope(store.tenant), origin, changed };
  };
  return {
    bindings: async (tenant) => listTopicBindings({ store: storeOf(tenant), scope: mqtt.topicScope(tenant) }),
    addBinding: async (tenant, origin, draft) => addTopicBinding(placeOf(tenant, origin), draft),
    changeBinding: async (tenant, origin, id, draft) => changeTopicBinding(placeOf(tenant, origin), id, draft),
    removeBinding: async (tenant, origin, id) => removeTopicBinding(placeOf(tenant, origin), id),
  };
}
