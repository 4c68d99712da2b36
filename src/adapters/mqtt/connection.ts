import type { Duplex } from 'node:stream';
import type { IConnectPacket, IDisconnectPacket, ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet';
import type { DisconnectInfo } from '../../ports/broker.ts';
import type { BrokerCore } from './broker-core.ts';
import { answerConnect, type Opened } from './connect.ts';
import { fromUserProperties, PacketFault, PacketReader } from './packet-codec.ts';
import { packetFault } from './packet-input.ts';
import { PacketOutput } from './packet-output.ts';
import { PublishInbox } from './publish-inbox.ts';
import { REASON } from './reason-codes.ts';
import type { SessionLink, SessionMessage } from './session.ts';
import { answerSubscribe, answerUnsubscribe } from './subscribe.ts';

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
  readonly #waiting: Packet[] = [];
  readonly #inbox: PublishInbox;
  #busy = false;
  #paused = false;
  #sawConnect = false;
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
  end(reasonCode: number, cause: DisconnectInfo['cause'] = 'ended', reason = ''): void {
    if (this.#closed) return;
    this.#end = { cause, userProperties: [] };
    if (this.opened?.info.protocolVersion === 5) {
      const properties = reason === '' ? {} : { properties: { reasonString: reason } };
      this.output.send({ cmd: 'disconnect', reasonCode, ...properties });
    }
    this.#stream.end();
    this.#onClose();
    this.core.later(() => this.#stream.destroy());
  }

  #read(chunk: Buffer): void {
    if (this.#closed) return;
    this.lastSeen = this.core.now();
    try {
      this.#reader.read(chunk);
    } catch (error) {
      const tooLarge = error instanceof PacketFault && error.tooLarge;
      this.breakOff(tooLarge ? REASON.tooLarge : REASON.malformed, error instanceof Error ? error.message : '');
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
    this.core.protocolError(this, what === '' ? `reason ${reasonCode}` : what);
    this.end(reasonCode, 'lost');
  }

  #take(packet: Packet): void {
    if (this.#closed) return;
    const fault = this.#orderFault(packet) ?? packetFault(packet);
    if (fault !== undefined) {
      this.breakOff(fault, `${packet.cmd} refused, reason ${fault}`);
      return;
    }
    if (this.opened !== undefined && this.#answerAtOnce(packet)) return;
    if (packet.cmd === 'publish' && packet.qos > 0 && !this.#inbox.admit()) return;
    this.#waiting.push(packet);
    this.#answerNext();
  }

  /** CONNECT comes first and once; packets that only a server sends never. */
  #orderFault({ cmd }: Packet): number | undefined {
    const isConnect = cmd === 'connect';
    if (isConnect === this.#sawConnect) return REASON.protocolError;
    this.#sawConnect = true;
    return ['connack', 'suback', 'unsuback', 'pingresp', 'auth'].includes(cmd) ? REASON.protocolError : undefined;
  }

  #answerAtOnce(packet: Packet): boolean {
    const session = this.opened?.session;
    if (session === undefined) return false;
    const id = packet.messageId ?? 0;
    switch (packet.cmd) {
      case 'pingreq':
        this.output.send({ cmd: 'pingresp' });
        return true;
      case 'puback':
      case 'pubcomp':
        session.acknowledged(id);
        return true;
      case 'pubrec':
        if ((packet.reasonCode ?? 0) >= 0x80) session.acknowledged(id);
        else this.output.ack('pubrel', id, session.received2(id) ? 0 : REASON.packetIdUnknown);
        return true;
      case 'pubrel':
        this.#inbox.release(id);
        return true;
      default:
        return false;
    }
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

  #answer(packet: Packet): Promise<void> | undefined {
    switch (packet.cmd) {
      case 'connect':
        return this.#connect(packet);
      case 'publish':
        return this.#inbox.publish(packet);
      case 'subscribe':
        return this.#whileOpen((opened) => answerSubscribe(this, opened, packet as ISubscribePacket));
      case 'unsubscribe':
        return this.#whileOpen((opened) => answerUnsubscribe(this, opened, packet as IUnsubscribePacket));
      case 'disconnect':
        this.#goodbye(packet);
        return undefined;
      default:
        return undefined;
    }
  }

  #whileOpen(work: (opened: Opened) => Promise<void>): Promise<void> | undefined {
    return this.opened === undefined || this.#closed ? undefined : work(this.opened);
  }

  async #connect(packet: IConnectPacket): Promise<void> {
    const opened = await answerConnect(this, packet);
    if (opened === undefined) return;
    if (!(await this.core.rules.connected(opened.info))) this.end(REASON.notAuthorized, 'ended');
  }

  #goodbye(packet: IDisconnectPacket): void {
    const { opened } = this;
    if (opened !== undefined && packet.reasonCode !== REASON.willMessage) opened.will = undefined;
    const expiry = packet.properties?.sessionExpiryInterval;
    if (opened !== undefined && expiry !== undefined) this.core.changeExpiry(opened.session, expiry);
    this.#end = { cause: 'disconnect', userProperties: fromUserProperties(packet.properties?.userProperties) };
    this.#stream.end();
    this.#onClose();
    this.core.later(() => this.#stream.destroy());
  }

  /** The connection is gone. What came before that and will not come again is still answered. */
  #onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gone.resolve();
    if (this.opened !== undefined) this.core.detach(this.opened.session, this);
    const last = this.#waiting.filter(({ cmd, ...packet }) => {
      return cmd === 'disconnect' || (cmd === 'publish' && (packet as { qos?: number }).qos === 0);
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
