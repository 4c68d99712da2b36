import type { BrokerMessage } from './broker.ts';

/** The way from the host to devices. */
export interface Downlink {
  /**
   * Publishes to the tenant's subscribers, past its own gate.
   * @param id of the message: whoever did not hear the answer sends it again under the same id, and devices get it once.
   * @returns sessions that it goes to.
   * @throws AppError MQTT_NOT_RUNNING, MQTT_DISABLED, MQTT_RATE.
   */
  publish(tenant: string, message: BrokerMessage, id?: string): Promise<number>;
  /** Checks what somebody wants to publish. @throws AppError TOPIC_*, PARAM_INVALID, MQTT_NOT_RUNNING, MQTT_DISABLED. */
  check(tenant: string, draft: DownlinkDraft): BrokerMessage;
  /** Sessions that a message to this topic would go to. */
  subscribers(tenant: string, topic: string): Promise<number>;
}

/** A message to devices, unchecked. */
export interface DownlinkDraft {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: number;
  readonly retain: boolean;
  readonly responseTopic: string | undefined;
  readonly contentType: string | undefined;
  readonly userProperties: readonly (readonly [string, string])[];
}
