import type { Duplex } from 'node:stream';
import type { DisconnectInfo } from '../../ports/broker.ts';
import type { BrokerCore } from './broker-core.ts';
import { answerConnect, type Opened } from './connect.ts';
import { PacketOutput } from './packet-output.ts';
import { PublishInbox } from './publish-inbox.ts';
import { REASON, REASON_TEXT } from './reason-codes.ts';
import type { Session, SessionLink, SessionMessage } from './session.ts';
import { answerSubscribe, answerUnsubscribe } from './subscribe.ts';
import type { AckPacket, ClientPacket, ConnectPacket, DisconnectPacket } from './wire/client-packet.ts';
import { PacketFault } from './wire/packet-fault.ts';
import { PacketReader } from './wire/packet-reader.ts';

/** Packets read ahead of the one that is answered; more stop the reading. */
const READ_AHEAD = 128;
const READ_AGAIN = 32;

/**
 * One network connection. Packets are answered one after the other, in the order of the client, so that one gate runs
 * at a time; only pings and acknowledgements do not wait for it. A client's trouble ends its own connection.
 */
export class Connection implements SessionLink {
  readonly core: BrokerCore;
  readonly address: string;
  readonly output: PacketOutput;
  readonly openedAt: number;
  lastSeen: number;
  opened: Opened | undefined;
  readonly #stream: Duplex;
  readonly #reader: PacketReader;
  readonly #waiting: ClientPacket[] = [];
  readonly #inbox: PublishInbox;
  #busy = false;
  #paused = false;
  #closed = false;
  #finished = false;
  #end: DisconnectInfo = { cause: 'lost', userProperties: [] };
  readonly #onFinished: () => void;
  readonly #gone = Promise.withResolvers<void>();

  constructor(core: BrokerCore, stream: Duplex, address: string, onFinished: () => void) {
    this.core = core;
    this.address = address;
    this.#stream = stream;
    this.#onFinished = onFinished;
    this.openedAt = core.now();
    this.lastSeen = this.openedAt;
    this.output = new PacketOutput(stream);
    this.#inbox = new PublishInbox(this);
    this.#reader = new PacketReader(core.limits.packetBytes, (packet) => this.#take(packet));
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.on('drain', () => {
      this.regulate();
      this.opened?.session.pump();
    });
    stream.on('error', () => stream.destroy());
    // A stream that may be half open, such as that of a WebSocket, does not end by itself when the client has.
    stream.on('end', () => {
      this.output.end();
      core.later(() => stream.destroy());
    });
    stream.on('close', () => this.#onClose());
  }

  get epoch(): number {
    return this.opened?.info.epoch ?? 0;
  }
  get sendWindow(): number {
    return this.opened?.sendWindow ?? 1;
  }
  get view(): SessionLink['view'] {
    const { info } = this.opened ?? {};
    return {
      address: this.address,
      userName: info?.userName ?? null,
      protocolVersion: info?.protocolVersion ?? null,
      connectedAt: info?.connectedAt ?? null,
      epoch: info?.epoch ?? null,
    };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get whenClosed(): Promise<void> {
    return this.#gone.promise;
  }

  /** True while a packet is being answered, or nothing is read: the client cannot be called silent. */
  get isBusy(): boolean {
    return this.#busy || this.#waiting.length > 0 || this.#paused;
  }

  canSend(): boolean {
    return this.output.canSend();
  }

  sendMessage(message: SessionMessage, packetId: number, dup: boolean): boolean {
    return this.output.publish(message, packetId, dup);
  }

  sendRelease(packetId: number): void {
    this.output.ack('pubrel', packetId);
  }

  /** Ends the connection from this side, with the reason where the version has one. */
  end(reasonCode: number, cause: DisconnectInfo['cause'] = 'ended', reason = REASON_TEXT[reasonCode] ?? ''): void {
    if (this.#closed) return;
    this.#end = { cause, userProperties: [] };
    if (this.opened?.info.protocolVersion === 5) {
      const properties = reason === '' ? {} : { properties: { reasonString: reason } };
      this.output.send({ cmd: 'disconnect', reasonCode, ...properties });
    }
    this.output.end();
    this.#onClose();
    this.core.later(() => this.#stream.destroy());
  }

  #read(chunk: Buffer): void {
    if (this.#closed) return;
    this.lastSeen = this.core.now();
    try {
      this.#reader.read(chunk);
    } catch (error) {
      this.#refuse(error instanceof PacketFault ? error : new PacketFault(REASON.unspecified, String(error)));
    }
    this.regulate();
  }

  /**
   * Reads on, or stops reading while too much waits to be answered or to be sent. Called whenever that may have
   * changed, and once a second, because an output that has emptied in part says nothing.
   */
  regulate(): void {
    const most = this.#paused ? READ_AGAIN : READ_AHEAD - 1;
    const mustPause = !this.#closed && (this.#waiting.length > most || this.output.isOverfull);
    if (mustPause === this.#paused) return;
    this.#paused = mustPause;
    if (mustPause) {
      this.#stream.pause();
      return;
    }
    this.lastSeen = this.core.now();
    this.#stream.resume();
  }

  /** Ends the connection because the client broke the protocol. */
  breakOff(reasonCode: number, what: string): void {
    if (this.#closed) return;
    this.core.protocolError(this, what === '' ? `reason ${reasonCode}` : what);
    this.end(reasonCode, 'lost');
  }

  /** A CONNECT that breaks the rules is told so where its version has words for it. */
  #refuse({ reasonCode, message, connectVersion }: PacketFault): void {
    if (this.#closed) return;
    if (connectVersion === 5) {
      this.output.send({ cmd: 'connack', sessionPresent: false, reasonCode }, 5);
    } else if (connectVersion !== undefined && reasonCode === REASON.unsupportedVersion) {
      this.output.send({ cmd: 'connack', sessionPresent: false, returnCode: 1 }, 4);
    }
    this.breakOff(reasonCode, message);
  }

  #take(packet: ClientPacket): void {
    if (this.#closed) return;
    if (this.opened !== undefined && this.#answerAtOnce(packet)) return;
    if (packet.cmd === 'publish' && packet.qos > 0 && !this.#inbox.admit()) return;
    this.#waiting.push(packet);
    this.#answerNext();
  }

  #answerAtOnce(packet: ClientPacket): boolean {
    switch (packet.cmd) {
      case 'pingreq':
        this.output.send({ cmd: 'pingresp' });
        return true;
      case 'puback':
      case 'pubcomp':
      case 'pubrec':
      case 'pubrel':
        this.#acknowledged(packet);
        return true;
      default:
        return false;
    }
  }

  #acknowledged({ cmd, packetId, reasonCode }: AckPacket): void {
    const session = this.opened?.session;
    if (session === undefined) return;
    if (cmd === 'pubrel') this.#inbox.release(packetId);
    else if (cmd !== 'pubrec' || reasonCode >= 0x80) session.acknowledged(packetId, cmd);
    else this.#release(session, packetId);
  }

  /** The release leaves after the store knows that the client has the message: it must not come again. */
  #release(session: Session, packetId: number): void {
    const code = session.received2(packetId) ? 0 : REASON.packetIdUnknown;
    const { store } = this.core;
    if (!session.isPersistent || !store.isDirty) {
      this.output.ack('pubrel', packetId, code);
      return;
    }
    store.flushed().then(
      () => this.output.ack('pubrel', packetId, code),
      () => this.end(REASON.unspecified),
    );
  }

  #answerNext(): void {
    while (!this.#busy) {
      const packet = this.#waiting.shift();
      if (packet === undefined) break;
      const answered = this.#answer(packet);
      if (answered === undefined) continue;
      this.#busy = true;
      void answered
        .catch((error: unknown) => {
          this.core.failed(this, error);
          this.end(REASON.unspecified);
        })
        .then(() => {
          this.#busy = false;
          this.#answerNext();
        });
    }
    this.regulate();
    if (this.#closed && !this.#busy) this.#finish();
  }

  #answer(packet: ClientPacket): Promise<void> | undefined {
    switch (packet.cmd) {
      case 'connect':
        return this.#connect(packet);
      case 'publish':
        return this.#inbox.publish(packet);
      case 'subscribe':
        return this.#whileOpen((opened) => answerSubscribe(this, opened, packet));
      case 'unsubscribe':
        return this.#whileOpen((opened) => answerUnsubscribe(this, opened, packet));
      case 'disconnect':
        this.#goodbye(packet);
        return undefined;
      default:
        // Sent before our CONNACK.
        this.#answerAtOnce(packet);
        return undefined;
    }
  }

  #whileOpen(work: (opened: Opened) => Promise<void>): Promise<void> | undefined {
    return this.opened === undefined || this.#closed ? undefined : work(this.opened);
  }

  async #connect(packet: ConnectPacket): Promise<void> {
    const opened = await answerConnect(this, packet);
    if (opened === undefined) return;
    if (!(await this.core.rules.connected(opened.info))) this.end(REASON.notAuthorized, 'ended');
  }

  #goodbye({ reasonCode, properties }: DisconnectPacket): void {
    const { opened } = this;
    const expiry = properties.sessionExpiryInterval;
    if (opened !== undefined && expiry !== undefined && !this.core.changeExpiry(opened.session, expiry)) {
      this.breakOff(REASON.protocolError, 'DISCONNECT begins a session that stays');
      return;
    }
    // Every other reason leaves the will [MQTT-3.14.4-3].
    if (opened !== undefined && reasonCode === REASON.success) opened.will = undefined;
    this.#end = { cause: 'disconnect', userProperties: properties.userProperties ?? [] };
    this.output.end();
    this.#onClose();
    this.core.later(() => this.#stream.destroy());
  }

  /** The connection is gone. What came before that and will not come again is still answered. */
  #onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gone.resolve();
    if (this.opened !== undefined) this.core.detach(this.opened.session, this);
    const last = this.#waiting.filter((packet) => {
      return packet.cmd === 'disconnect' || (packet.cmd === 'publish' && packet.qos === 0);
    });
    this.#waiting.splice(0, this.#waiting.length, ...last);
    if (!this.#busy) this.#answerNext();
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#onFinished();
    if (this.opened !== undefined) this.core.finished(this.opened, this.#end);
  }
}
