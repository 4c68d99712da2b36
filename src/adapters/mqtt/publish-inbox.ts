import type { PublishDecision } from '../../ports/broker.ts';
import type { Delivered } from './broker-core.ts';
import type { Opened } from './connect.ts';
import type { Connection } from './connection.ts';
import { NOT_RETAINED, PUBLISH_CODES, REASON } from './reason-codes.ts';
import type { PublishPacket } from './wire/client-packet.ts';
import { copied, messagePropertiesOf } from './wire/message-properties.ts';

/** The messages that one client publishes: asked of the rules, delivered, and acknowledged when they are stored. */
export class PublishInbox {
  readonly #connection: Connection;
  readonly #aliases = new Map<number, string>();
  #unacknowledged = 0;
  /** Packet ids of QoS 2 among them that wait for their PUBREL. */
  readonly #unreleased = new Set<number>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Counts a message of QoS 1 or 2. @returns false when the client of MQTT 5 has more under way than it may. */
  admit(): boolean {
    this.#unacknowledged++;
    const isV5 = this.#connection.opened?.info.protocolVersion === 5;
    if (!isV5 || this.#unacknowledged <= this.#connection.core.limits.receiveMaximum) return true;
    this.#connection.breakOff(REASON.receiveMaximum, 'receive maximum exceeded');
    return false;
  }

  /** PUBREL: the packet id is free again. */
  release(id: number): void {
    const session = this.#connection.opened?.session;
    const known = session?.received.delete(id) === true;
    // A message that came over an earlier connection is not counted in this one.
    if (this.#unreleased.delete(id)) this.#unacknowledged--;
    const { store } = this.#connection.core;
    if (!known || !session?.isPersistent) {
      this.#connection.output.ack('pubcomp', id, known ? 0 : REASON.packetIdUnknown);
      return;
    }
    // The client may use the id again from then on: a broker that takes over must not know it as received.
    store.dropReceived(session.key, id);
    store.flushed().then(
      () => this.#connection.output.ack('pubcomp', id),
      () => this.#connection.end(REASON.unspecified),
    );
  }

  /** A PUBLISH of the client. @returns a promise when it cannot be answered at once. */
  publish(packet: PublishPacket): Promise<void> | undefined {
    const { opened } = this.#connection;
    // What the client will send again is not begun; QoS 0 it will not.
    if (opened === undefined || (this.#connection.isClosed && packet.qos > 0)) return undefined;
    const topic = this.#topicOf(packet);
    if (topic === undefined) {
      this.#connection.breakOff(REASON.aliasInvalid, 'topic alias unknown or above the maximum');
      return undefined;
    }
    if (packet.qos === 2 && opened.session.received.has(packet.packetId)) {
      return this.#receivedAgain(packet.packetId);
    }
    const { qos, retain } = packet;
    const properties = messagePropertiesOf(packet.properties);
    const message = { topic, payload: copied(packet.payload), qos, retain, properties };
    const decision = this.#connection.core.rules.publish(opened.info, message, false);
    if (decision instanceof Promise) return decision.then((decided) => this.#decided(opened, packet, decided));
    return this.#decided(opened, packet, decision);
  }

  /** The topic that an alias stands for; undefined for an alias that is not known. */
  #topicOf({ topic, properties }: PublishPacket): string | undefined {
    const alias = properties.topicAlias;
    if (alias === undefined) return topic;
    if (alias > this.#connection.core.limits.topicAliases) return undefined;
    if (topic !== '') this.#aliases.set(alias, topic);
    return this.#aliases.get(alias);
  }

  #decided(opened: Opened, packet: PublishPacket, decision: PublishDecision): Promise<void> | undefined {
    const id = packet.packetId;
    switch (decision.kind) {
      case 'close':
        this.#connection.end(REASON.busy);
        return undefined;
      case 'refuse':
        return this.#acknowledge(opened, packet, PUBLISH_CODES[decision.reason], decision.text);
      case 'stored':
        return this.#acknowledge(opened, packet, 0);
      case 'forward': {
        if (packet.qos === 2) this.#remember(opened, id);
        const { tenant, clientId } = opened.info;
        const delivered = this.#connection.core.deliver(tenant, decision.message, clientId, opened.info);
        if (!(delivered instanceof Promise)) return this.#delivered(opened, packet, delivered);
        return delivered.then((outcome) => this.#delivered(opened, packet, outcome));
      }
    }
  }

  /**
   * QoS 2 hears of a full tenant in words beside the success: with 0x97 the same packet would be a new message when it
   * comes again (MQTT-4.3.3-9), and whoever subscribed would have it twice.
   */
  #delivered(opened: Opened, packet: PublishPacket, delivered: Delivered): Promise<void> | undefined {
    if (delivered === 'not-retained') {
      return this.#acknowledge(opened, packet, packet.qos === 2 ? REASON.success : REASON.quota, NOT_RETAINED);
    }
    return this.#acknowledge(opened, packet, delivered === 0 ? REASON.noSubscribers : REASON.success);
  }

  /** Its message came already, perhaps over an earlier connection; that this is stored may still be to come. */
  #receivedAgain(id: number): Promise<void> | undefined {
    if (this.#unreleased.has(id)) this.#unacknowledged--;
    this.#unreleased.add(id);
    return this.#whenStored(() => this.#connection.output.ack('pubrec', id));
  }

  #remember({ session }: Opened, id: number): void {
    session.received.add(id);
    this.#unreleased.add(id);
    if (session.isPersistent) this.#connection.core.store.addReceived(session.key, id);
  }

  /** Our acknowledgement means stored: it leaves after the store has written what the message left in it. */
  #acknowledge(opened: Opened, packet: PublishPacket, code: number, reason = ''): Promise<void> | undefined {
    if (packet.qos === 0) return undefined;
    const id = packet.packetId;
    if (packet.qos === 2 && code < 0x80) this.#remember(opened, id);
    return this.#whenStored(() => this.#sendAck(packet, id, code, reason));
  }

  #whenStored(acknowledge: () => void): Promise<void> | undefined {
    const { store } = this.#connection.core;
    if (store.isDirty) return store.flushed().then(acknowledge);
    acknowledge();
    return undefined;
  }

  #sendAck(packet: PublishPacket, id: number, code: number, reason: string): void {
    if (packet.qos === 1 || code >= 0x80) this.#unacknowledged--;
    const isOld = this.#connection.opened?.info.protocolVersion !== 5;
    // An older client goes on to PUBREL whatever became of its message.
    if (packet.qos === 2 && isOld && code >= 0x80 && this.#connection.opened !== undefined)
      this.#connection.opened.session.received.add(id);
    this.#connection.output.ack(packet.qos === 1 ? 'puback' : 'pubrec', id, code, reason);
  }
}
