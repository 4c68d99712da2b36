import type { ConnectReason, FilterDecision, PublishDecision } from '../../ports/broker.ts';

/** Reason codes of MQTT 5 that the broker sends (MQTT 5, 2.4). */
export const REASON = {
  success: 0x00,
  willMessage: 0x04,
  noSubscribers: 0x10,
  noSubscription: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  clientId: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  unavailable: 0x88,
  busy: 0x89,
  banned: 0x8a,
  shuttingDown: 0x8b,
  badAuthMethod: 0x8c,
  keepAlive: 0x8d,
  takenOver: 0x8e,
  filterInvalid: 0x8f,
  topicInvalid: 0x90,
  packetIdUnknown: 0x92,
  receiveMaximum: 0x93,
  aliasInvalid: 0x94,
  tooLarge: 0x95,
  quota: 0x97,
  administrative: 0x98,
  payloadFormat: 0x99,
  sharedUnsupported: 0x9e,
} as const;

/** What a client of MQTT 5 is told beside a code that refuses or ends its connection, for whoever reads its log. */
export const REASON_TEXT: Readonly<Partial<Record<number, string>>> = {
  [REASON.unspecified]: 'the server could not go on with this connection',
  [REASON.malformed]: 'malformed packet',
  [REASON.protocolError]: 'protocol error',
  [REASON.clientId]: 'the client id is not valid, or that of another tenant',
  [REASON.badCredentials]: 'bad user name or password',
  [REASON.notAuthorized]: 'not authorized',
  [REASON.unavailable]: 'the server cannot store anything at the moment',
  [REASON.busy]: 'the server is busy: try again later',
  [REASON.banned]: 'too many failures or takeovers: try again in a minute',
  [REASON.shuttingDown]: 'the server is shutting down',
  [REASON.badAuthMethod]: 'enhanced authentication is not offered',
  [REASON.keepAlive]: 'keep-alive timeout',
  [REASON.takenOver]: 'another connection has the same client id',
  [REASON.topicInvalid]: 'the topic of the will is not allowed',
  [REASON.receiveMaximum]: 'more messages under way than the receive maximum',
  [REASON.aliasInvalid]: 'topic alias unknown or above the maximum',
  [REASON.tooLarge]: 'packet too large',
  [REASON.quota]: 'quota exceeded',
};

/** CONNACK: the code of MQTT 5, and the return code of 3.1 and 3.1.1. */
export const CONNECT_CODES: Readonly<Record<ConnectReason, readonly [v5: number, v3: number]>> = {
  'client-id': [REASON.clientId, 2],
  'not-authorized': [REASON.notAuthorized, 5],
  'bad-credentials': [REASON.badCredentials, 4],
  banned: [REASON.banned, 5],
  quota: [REASON.quota, 3],
  unavailable: [REASON.unavailable, 3],
  'topic-invalid': [REASON.topicInvalid, 5],
  busy: [REASON.busy, 3],
};

/** SUBACK of MQTT 5; older versions know 0x80 only. */
export const FILTER_CODES: Readonly<Record<Extract<FilterDecision, { ok: false }>['reason'], number>> = {
  invalid: REASON.filterInvalid,
  'not-authorized': REASON.notAuthorized,
  shared: REASON.sharedUnsupported,
  quota: REASON.quota,
  unspecified: REASON.unspecified,
};

/** What a client of MQTT 5 is told beside them, of the first filter that is refused. */
const FILTER_TEXT: Readonly<Partial<Record<number, string>>> = {
  [REASON.noSubscription]: 'there was no subscription to it',
  [REASON.unspecified]: 'the server could not decide about it',
  [REASON.notAuthorized]: 'not authorized to subscribe to it',
  [REASON.filterInvalid]: 'not a valid topic filter',
  [REASON.quota]: 'more subscriptions than a client, or its tenant, may have',
  [REASON.sharedUnsupported]: 'shared subscriptions are not offered here',
};

/** The reason string of a SUBACK or UNSUBACK: the place of the first filter without success, and why. Empty for none. */
export function filterReason(granted: readonly number[]): string {
  const place = granted.findIndex((code) => code > 2);
  const text = FILTER_TEXT[granted[place] ?? 0] ?? '';
  return text === '' ? '' : `filter ${place + 1}: ${text}`;
}

/** PUBACK and PUBREC of MQTT 5 (architecture.md 7: 0x99 for a script's refusal, 0x80 for its failure). */
export const PUBLISH_CODES: Readonly<Record<Extract<PublishDecision, { kind: 'refuse' }>['reason'], number>> = {
  topic: REASON.topicInvalid,
  'not-authorized': REASON.notAuthorized,
  blocked: REASON.payloadFormat,
  failed: REASON.unspecified,
  quota: REASON.quota,
};

/** What the publisher of a retained message is told that went to the subscribers only. */
export const NOT_RETAINED =
  'delivered but not retained: the tenant has as many retained messages as it may, and this topic has none now';
