import type { Qos } from './broker.ts';

/** Where a client of MQTT 5 connects and as whom. */
export interface MqttLinkOptions {
  /** `mqtt://host:port` or `mqtts://host:port`, whose certificate is checked. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly clientId: string;
  readonly will?: MqttLinkMessage;
  /** Every message that arrives. */
  readonly onMessage?: (message: MqttLinkMessage) => void;
}

export interface MqttLinkMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly responseTopic?: string;
}

/** A connection to a broker as one client has it. Waiting for an answer ends with HOST_UNREACHABLE. */
export interface MqttLink {
  /** @returns false when the broker refuses the filter. */
  subscribe(filter: string, qos: Qos): Promise<boolean>;
  /** @returns false when the broker refuses the filter or knows no such subscription. */
  unsubscribe(filter: string): Promise<boolean>;
  /** Of QoS 0 and 1. @returns false when the broker refuses the message. */
  publish(message: MqttLinkMessage): Promise<boolean>;
  readonly isOpen: boolean;
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>;
  /** Says goodbye. */
  end(): Promise<void>;
  /** Breaks the connection off without a word, so that the broker publishes its will. */
  breakOff(): void;
}
