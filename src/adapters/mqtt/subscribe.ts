import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FilterDecision } from '../../ports/broker.ts';
import type { StoredSubscription } from '../../ports/broker-store.ts';
import type { Opened } from './connect.ts';
import type { Connection } from './connection.ts';
import { FILTER_CODES, REASON } from './reason-codes.ts';
import type { AskedFilter, SubscribePacket, UnsubscribePacket } from './wire/client-packet.ts';

/** Answers a SUBSCRIBE: each filter is granted or refused by itself; then come the retained messages. */
export async function answerSubscribe(connection: Connection, opened: Opened, packet: SubscribePacket): Promise<void> {
  const { core } = connection;
  const { info, session } = opened;
  const asked = packet.filters;
  if (asked.length > core.limits.subscriptions) {
    refuseAll(connection, opened, packet);
    return;
  }
  const decisions = await core.rules.subscribe(
    info,
    asked.map(({ filter }) => filter),
    packet.properties.userProperties ?? [],
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
    const subscription = toSubscription(wanted, decision.filter, packet, opened.isBridge);
    const isNew = space.subscribe(session, subscription);
    granted.push(wanted.qos);
    // A filter that is named again takes its messages once, as it was named last.
    if (retained.delete(subscription.filter) || wantsRetained(wanted, isNew)) {
      retained.set(subscription.filter, subscription);
    }
  }
  space.saveSession(session);
  if (core.store.isDirty) await core.store.flushed();
  if (!connection.output.grant('suback', packet.packetId, granted)) {
    connection.end(REASON.tooLarge, 'lost');
    return;
  }
  for (const subscription of retained.values()) {
    // A session that stays gets them later; one that went with its connection never.
    if (connection.isClosed && !session.isPersistent) return;
    space.sendRetained(session, subscription);
    // Each one may read through all retained messages of the tenant; the other clients have their turn in between.
    await nextTurn();
  }
}

/** More filters than a client may have can only be a mistake or an attack; nobody is asked about them. */
function refuseAll(connection: Connection, { info }: Opened, { packetId, filters }: SubscribePacket): void {
  const refused = info.protocolVersion === 5 ? REASON.quota : REASON.unspecified;
  const granted = filters.map(() => refused);
  if (!connection.output.grant('suback', packetId, granted)) connection.end(REASON.tooLarge, 'lost');
}

function withinQuota(
  connection: Connection,
  { session }: Opened,
  decision: FilterDecision | undefined,
): FilterDecision {
  if (decision === undefined) return { ok: false, reason: 'unspecified' };
  if (!decision.ok || session.subscriptions.has(decision.filter)) return decision;
  const { limits } = connection.core;
  const isFull = session.subscriptions.size >= limits.subscriptions;
  const hasRoom = !isFull && connection.core.space(session.key.tenant).hasRoomToSubscribe(decision.filter);
  return hasRoom ? decision : { ok: false, reason: 'quota' };
}

function toSubscription(
  { qos, noLocal, retainAsPublished }: AskedFilter,
  filter: string,
  { properties }: SubscribePacket,
  isBridge: boolean,
): StoredSubscription {
  return {
    filter,
    qos,
    noLocal: noLocal || isBridge,
    retainAsPublished: retainAsPublished || isBridge,
    identifier: properties.subscriptionIdentifier,
  };
}

/** Retain Handling: 0 always, 1 for a new subscription, 2 never; older versions always (MQTT 5, 3.8.3.1). */
function wantsRetained({ retainHandling }: AskedFilter, isNew: boolean): boolean {
  return retainHandling === 0 || (retainHandling === 1 && isNew);
}

/** Answers an UNSUBSCRIBE. */
export async function answerUnsubscribe(
  connection: Connection,
  opened: Opened,
  packet: UnsubscribePacket,
): Promise<void> {
  const { core } = connection;
  const { info, session } = opened;
  const space = core.space(info.tenant);
  const granted = packet.filters.map((raw) => {
    const filter = core.rules.unsubscribe(info, raw);
    const had = filter !== undefined && space.unsubscribe(session, filter);
    return had ? 0 : REASON.noSubscription;
  });
  space.saveSession(session);
  if (core.store.isDirty) await core.store.flushed();
  if (!connection.output.grant('unsuback', packet.packetId, granted)) {
    connection.end(REASON.tooLarge, 'lost');
  }
}
