import type { MqttService } from '../app/mqtt-service.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { MqttAdmin } from './services.ts';

/** The broker of this host for the routes. @param storeOf throws for a tenant that is not open. */
export function createMqttAdmin(mqtt: MqttService, storeOf: (tenant: string) => TenantStore): MqttAdmin {
  const checked = (tenant: string): string => storeOf(tenant).tenant;
  return {
    status: (tenant) => {
      const name = checked(tenant);
      const sessions = mqtt.isRunning ? mqtt.broker.sessions(name) : [];
      return {
        isRunning: mqtt.isRunning,
        listeners: mqtt.isRunning ? mqtt.broker.listeners : [],
        connected: sessions.filter(({ online }) => online).length,
        sessions: sessions.length,
        queued: sessions.reduce((sum, { queued }) => sum + queued, 0),
        dropped: sessions.reduce((sum, { dropped }) => sum + dropped, 0),
      };
    },
    sessions: (tenant) => mqtt.broker.sessions(checked(tenant)),
    retained: (tenant) => mqtt.broker.retained(checked(tenant)),
    publish: async (tenant, draft) => {
      const name = checked(tenant);
      return mqtt.publish(name, mqtt.check(name, draft));
    },
    disconnect: (tenant, clientId) => mqtt.broker.disconnect(checked(tenant), clientId),
    bindings: (tenant) => mqtt.bindings(storeOf(tenant)),
  };
}
