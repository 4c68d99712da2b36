import type { BrokerMessage, ClientInfo, ConnectDecision, ConnectReason, ConnectRequest } from '../../ports/broker.ts';
import type { Newcomer } from './broker-core.ts';
import type { Connection } from './connection.ts';
import { messageBytes } from './kept-bytes.ts';
import { CONNECT_CODES, REASON, REASON_TEXT } from './reason-codes.ts';
import type { Session } from './session.ts';
import type { ConnectPacket } from './wire/client-packet.ts';
import { copied, messagePropertiesOf } from './wire/message-properties.ts';

/** A connection that was accepted. */
export interface Opened {
  readonly info: ClientInfo;
  readonly session: Session;
  readonly sendWindow: number;
  /** It came with a will. */
  readonly hadWill: boolean;
  /** What is published when it is lost; cleared by a goodbye. */
  will: BrokerMessage | undefined;
  /** Seconds between the loss and the will. */
  readonly willDelay: number;
  /** A Mosquitto bridge, which wants messages as they were published and none of its own. */
  readonly isBridge: boolean;
}

/** MQTT 3.1 allows no longer client ids; the later versions and we do. Characters. */
const MQTT31_CLIENT_ID = 23;
const MAX_CLIENT_ID = 200;

/** Messages of QoS 1 and 2 that are under way to one client at once. */
const SEND_WINDOW = 64;

/** A CONNACK with any reason string of ours is shorter. Bytes. */
const ROOM_FOR_TEXT = 128;

/** Answers a CONNECT. @returns the accepted connection; undefined when it was refused or is gone. */
export async function answerConnect(connection: Connection, packet: ConnectPacket): Promise<Opened | undefined> {
  const { core } = connection;
  const clientId = packet.clientId === '' && mayAssign(packet) ? core.assignClientId() : packet.clientId;
  const refused = ownRefusal(packet, clientId);
  if (refused !== undefined) return refuseConnect(connection, packet, refused);
  // What it sends could not be acknowledged.
  if (!core.store.isUsable) return refuseConnect(connection, packet, 'unavailable');
  const request = requestOf(connection, packet, clientId);
  const decision = await core.rules.connect(request);
  if (connection.isClosed) return undefined;
  if (!decision.ok) return refuseConnect(connection, packet, decision.reason);
  const newcomer = { tenant: decision.tenant, clientId, clean: request.clean, askedAt: core.now() };
  const until = performance.now() + core.limits.takeoverMs;
  // Between the last look and `open` nothing else may happen: another connection of the client may be waiting, too.
  for (;;) {
    const former = core.endFormer(newcomer);
    if (former === undefined) {
      const willBytes = decision.will === undefined ? 0 : messageBytes(decision.will);
      if (!core.space(newcomer.tenant).hasRoomFor(clientId, willBytes))
        return refuseConnect(connection, packet, 'quota');
      return open(connection, { packet, request, decision, newcomer });
    }
    const inTime = await endsBefore(until, former, connection);
    if (connection.isClosed) return undefined;
    if (!inTime) return refuseConnect(connection, packet, 'busy');
  }
}

/** @returns false when the time is over; true when the former connection is finished, or this one is gone. */
function endsBefore(until: number, former: Promise<void>, connection: Connection): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), Math.max(0, until - performance.now()));
  void Promise.race([former, connection.whenClosed]).then(() => {
    clearTimeout(timer);
    resolve(true);
  });
  return promise;
}

interface Accepted {
  readonly packet: ConnectPacket;
  readonly request: ConnectRequest;
  readonly decision: Extract<ConnectDecision, { ok: true }>;
  readonly newcomer: Newcomer;
}

function open(connection: Connection, { packet, request, decision, newcomer }: Accepted): Opened {
  const { core } = connection;
  const version = request.protocolVersion;
  const info: ClientInfo = {
    tenant: newcomer.tenant,
    clientId: newcomer.clientId,
    userName: request.userName,
    address: request.address,
    protocolVersion: version,
    keepAlive: packet.keepAlive,
    epoch: core.nextEpoch(),
    connectedAt: core.now(),
    userProperties: request.userProperties,
    isOpen: () => !connection.isClosed,
  };
  const { session, present } = core.attach(newcomer, connection, expiryOf(packet, core.limits.sessionExpirySeconds));
  const opened: Opened = {
    info,
    session,
    sendWindow: Math.min(packet.properties.receiveMaximum ?? SEND_WINDOW, SEND_WINDOW),
    hadWill: decision.will !== undefined,
    will: decision.will,
    willDelay: packet.will?.properties.willDelayInterval ?? 0,
    isBridge: packet.isBridge,
  };
  connection.opened = opened;
  core.space(info.tenant).keepWill(session, opened.will === undefined ? 0 : messageBytes(opened.will));
  core.wills.begin(opened);
  // While it waited for its CONNACK it could not be called silent.
  connection.lastSeen = core.now();
  connection.output.configure({
    version,
    tenant: info.tenant,
    shortTopics: decision.shortTopics,
    maxPacketBytes: packet.properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
    maxAliases: Math.min(packet.properties.topicAliasMaximum ?? 0, core.limits.topicAliases),
    saysWhy: packet.properties.requestProblemInformation ?? true,
    highWater: core.limits.outputBytes,
    now: () => core.now(),
  });
  sendConnack(connection, opened, present, packet);
  if (!connection.isClosed) session.resume();
  return opened;
}

/** MQTT 3.1.1 allows an empty id with a clean session only; MQTT 3.1 not at all. */
function mayAssign(packet: ConnectPacket): boolean {
  return packet.version === 5 || (packet.version === 4 && packet.clean);
}

function ownRefusal(packet: ConnectPacket, clientId: string): ConnectReason | 'auth-method' | undefined {
  const most = packet.version === 3 ? MQTT31_CLIENT_ID : MAX_CLIENT_ID;
  if (clientId === '' || clientId.length > most) return 'client-id';
  return packet.properties.authenticationMethod === undefined ? undefined : 'auth-method';
}

function refuseConnect(
  connection: Connection,
  packet: ConnectPacket,
  reason: ConnectReason | 'auth-method',
): undefined {
  const { version, properties } = packet;
  const [v5, v3] = reason === 'auth-method' ? [REASON.badAuthMethod, 5] : CONNECT_CODES[reason];
  const code = version === 5 ? { reasonCode: v5 } : { returnCode: v3 };
  // Left out for a client that takes only the shortest packets [MQTT-3.2.2-19].
  const hasRoom = (properties.maximumPacketSize ?? Number.POSITIVE_INFINITY) >= ROOM_FOR_TEXT;
  const text = version === 5 && hasRoom ? { properties: { reasonString: REASON_TEXT[v5] ?? '' } } : {};
  connection.output.send({ cmd: 'connack', sessionPresent: false, ...code, ...text }, version);
  connection.end(v5);
}

function requestOf(connection: Connection, packet: ConnectPacket, clientId: string): ConnectRequest {
  const { will } = packet;
  return {
    clientId,
    userName: packet.userName,
    password: packet.password === undefined ? undefined : copied(packet.password),
    userProperties: packet.properties.userProperties ?? [],
    protocolVersion: packet.version,
    clean: packet.clean,
    address: connection.address,
    will:
      will === undefined
        ? undefined
        : {
            topic: will.topic,
            payload: copied(will.payload),
            qos: will.qos,
            retain: will.retain,
            properties: messagePropertiesOf(will.properties),
          },
  };
}

/** Seconds that the session outlives its connection, at most what the host allows. */
function expiryOf(packet: ConnectPacket, most: number): number {
  const asked = packet.version === 5 ? (packet.properties.sessionExpiryInterval ?? 0) : packet.clean ? 0 : most;
  return Math.min(asked, most);
}

function sendConnack(connection: Connection, { info, session }: Opened, present: boolean, packet: ConnectPacket): void {
  const { limits } = connection.core;
  if (info.protocolVersion !== 5) {
    connection.output.send({ cmd: 'connack', returnCode: 0, sessionPresent: present && info.protocolVersion === 4 });
    return;
  }
  const shorter = (session.expirySeconds ?? 0) < (packet.properties.sessionExpiryInterval ?? 0);
  const sent = connection.output.send({
    cmd: 'connack',
    reasonCode: 0,
    sessionPresent: present,
    properties: {
      receiveMaximum: limits.receiveMaximum,
      maximumPacketSize: limits.packetBytes,
      topicAliasMaximum: limits.topicAliases,
      sharedSubscriptionAvailable: false,
      ...(packet.clientId === '' ? { assignedClientIdentifier: info.clientId } : {}),
      ...(shorter ? { sessionExpiryInterval: session.expirySeconds ?? 0 } : {}),
    },
  });
  // A client whose packets are too small for our CONNACK cannot be served [MQTT-3.1.2-24].
  if (!sent) connection.end(REASON.tooLarge, 'lost');
}
