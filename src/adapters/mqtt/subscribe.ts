import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ISubscribePacket, ISubscription, IUnsubscribePacket } from 'mqtt-packet';
import type { FilterDecision } from '../../ports/broker.ts';
import type { StoredSubscription } from '../../ports/broker-store.ts';
import type { Opened } from './connect.ts';
import type { Connection } from './connection.ts';
import { fromUserProperties } from './packet-codec.ts';
import { FILTER_CODES, REASON } from './reason-codes.ts';

/** Answers a SUBSCRIBE: each filter is granted or refused by itself; then come the retained messages. */
export async function answerSubscribe(connection: Connection, opened: Opened, packet: ISubscribePacket): Promise<void> {
  const { core } = connection;
  const { info, session } = opened;
  const identifier = packet.properties?.subscriptionIdentifier;
  if (identifier === 0) {
    connection.end(REASON.protocolError, 'lost');
    return;
  }
  const asked = packet.subscriptions;
  if (asked.length > core.limits.subscriptions) {
    refuseAll(connection, opened, packet);
    return;
  }
  const properties = fromUserProperties(packet.properties?.userProperties);
  const decisions = await core.rules.subscribe(
    info,
    asked.map(({ topic }) => topic),
    properties,
  );
  if (connection.isClosed) return;
  const space = core.space(info.tenant);
  const granted: number[] = [];
  const retained = new Map<string, StoredSubscription>();
  for (const [index, wanted] of asked.entries()) {
    const decision = withinQuota(connection, opened, decisions[index]);
    if (!decision.ok) {
      granted.push(info.protocolVersion === 5 ? FILTER_CODES[decision.reason] : REASON.unspecified);
      continue;
    }
    const subscription = toSubscription(wanted, decision.filter, identifier);
    const isNew = space.subscribe(session, subscription);
    granted.push(wanted.qos);
    // A filter that is named again takes its messages once, as it was named last.
    if (retained.delete(subscription.filter) || wantsRetained(wanted, isNew)) {
      retained.set(subscription.filter, subscription);
    }
  }
  space.saveSession(session);
  if (core.store.isDirty) await core.store.flushed();
  connection.output.send({ cmd: 'suback', messageId: packet.messageId ?? 0, granted });
  for (const subscription of retained.values()) {
    // A session that stays gets them later; one that went with its connection never.
    if (connection.isClosed && !session.isPersistent) return;
    space.sendRetained(session, subscription);
    // Each one may read through all retained messages of the tenant; the other clients have their turn in between.
    await nextTurn();
  }
}

/** More filters than a client may have can only be a mistake or an attack; nobody is asked about them. */
function refuseAll(connection: Connection, { info }: Opened, { messageId = 0, subscriptions }: ISubscribePacket): void {
  const refused = info.protocolVersion === 5 ? REASON.quota : REASON.unspecified;
  connection.output.send({ cmd: 'suback', messageId, granted: subscriptions.map(() => refused) });
}

function withinQuota(
  connection: Connection,
  { session }: Opened,
  decision: FilterDecision | undefined,
): FilterDecision {
  if (decision === undefined) return { ok: false, reason: 'unspecified' };
  const full = session.subscriptions.size >= connection.core.limits.subscriptions;
  return decision.ok && full && !session.subscriptions.has(decision.filter) ? { ok: false, reason: 'quota' } : decision;
}

function toSubscription(wanted: ISubscription, filter: string, identifier: number | undefined): StoredSubscription {
  return { filter, qos: wanted.qos, noLocal: wanted.nl === true, retainAsPublished: wanted.rap === true, identifier };
}

/** Retain Handling: 0 always, 1 for a new subscription, 2 never; older versions always (MQTT 5, 3.8.3.1). */
function wantsRetained({ rh }: ISubscription, isNew: boolean): boolean {
  return (rh ?? 0) === 0 || (rh === 1 && isNew);
}

/** Answers an UNSUBSCRIBE. */
export async function answerUnsubscribe(
  connection: Connection,
  opened: Opened,
  packet: IUnsubscribePacket,
): Promise<void> {
  const { core } = connection;
  const { info, session } = opened;
  const space = core.space(info.tenant);
  const granted = packet.unsubscriptions.map((raw) => {
    const filter = core.rules.unsubscribe(info, raw);
    const had = filter !== undefined && space.unsubscribe(session, filter);
    return had ? 0 : REASON.noSubscription;
  });
  space.saveSession(session);
  if (core.store.isDirty) await core.store.flushed();
  connection.output.send({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted });
}
