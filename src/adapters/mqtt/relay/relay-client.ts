import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { ErrorRecord } from '../../../core/errors.ts';
import { AppError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json.ts';
import { packMessage } from '../../../core/mqtt-message.ts';
import type { Broker, BrokerListener, BrokerMessage, RetainedView, SessionView } from '../../../ports/broker.ts';
import { PATHS, SESSION_OPTIONS, WINDOW_BYTES } from './relay-protocol.ts';
import { connectToRelay, HANDSHAKE_MS, type RelayKey } from './relay-tls.ts';

/** How a host with a broker is reached. */
export interface RelayAddress {
  readonly host: string;
  readonly port: number;
  readonly key: RelayKey;
}

export interface RelayClientParts {
  /** Where the broker is now; undefined when nobody has told. */
  find(): Promise<RelayAddress | undefined>;
  /** Where devices reach this host. */
  listeners(): readonly BrokerListener[];
}

/** A host that is gone without a word is noticed after twice this. Milliseconds. */
const PING_MS = 5_000;

/** A connection to the host with the broker. */
interface Line {
  readonly session: ClientHttp2Session;
  readonly socket: Duplex;
}

/** For an answer of the broker. Milliseconds. */
const ANSWER_MS = 10_000;

/**
 * The broker of another host: hands on the connections of this host's devices, byte by byte, and asks what people and
 * scripts of this host want. Its errors are MQTT_STANDBY while that host is not reached.
 */
export class RelayClient implements Broker {
  readonly #parts: RelayClientParts;
  #line: Promise<Line> | undefined;
  #isClosed = false;

  constructor(parts: RelayClientParts) {
    this.#parts = parts;
  }

  get listeners(): readonly BrokerListener[] {
    return this.#parts.listeners();
  }

  /** Hands a device on. A device that cannot be is sent away, and comes again. */
  accept(device: Duplex, address: string): void {
    device.on('error', () => device.destroy());
    this.#open(PATHS.device, { 'x-address': address }).then(
      (stream) => join(device, stream),
      () => device.destroy(),
    );
  }

  async publish(tenant: string, message: BrokerMessage, id?: string): Promise<number> {
    const headers = id === undefined ? {} : { 'x-id': id };
    return Number(await this.#ask(PATHS.publish, packMessage(message, tenant), headers));
  }

  async subscribers(tenant: string, topic: string): Promise<number> {
    return Number(await this.#ask(PATHS.subscribers, JSON.stringify({ tenant, name: topic })));
  }

  async sessions(tenant: string): Promise<readonly SessionView[]> {
    return (await this.#ask(PATHS.sessions, JSON.stringify({ tenant }))) as unknown as readonly SessionView[];
  }

  async retained(tenant: string): Promise<readonly RetainedView[]> {
    return (await this.#ask(PATHS.retained, JSON.stringify({ tenant }))) as unknown as readonly RetainedView[];
  }

  async disconnect(tenant: string, clientId: string): Promise<boolean> {
    return (await this.#ask(PATHS.disconnect, JSON.stringify({ tenant, name: clientId }))) === true;
  }

  /** Ends the connection, and with it those of the devices: the broker is elsewhere, or here, from now on. */
  reset(): void {
    void this.#line?.then(cut, () => undefined);
    this.#line = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  /** @throws AppError MQTT_STANDBY, and what the broker throws. */
  async #ask(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<JsonValue> {
    const stream = await this.#open(path, headers);
    stream.setTimeout(ANSWER_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.end(body);
    const text = await textOf(stream);
    const reply = JSON.parse(text) as { readonly value?: JsonValue; readonly error?: ErrorRecord };
    if (reply.error !== undefined) throw new AppError(reply.error.code, reply.error.params);
    return reply.value ?? null;
  }

  async #open(path: string, headers: Record<string, string>): Promise<ClientHttp2Stream> {
    const { session } = await this.#connected();
    return session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false });
  }

  #connected(): Promise<Line> {
    if (this.#isClosed) return Promise.reject(new AppError('MQTT_STANDBY'));
    if (this.#line !== undefined) return this.#line;
    const opening = this.#connect();
    const forget = (): void => {
      if (this.#line === opening) this.#line = undefined;
    };
    opening.then(({ session }) => session.once('close', forget), forget);
    this.#line = opening;
    return opening;
  }

  async #connect(): Promise<Line> {
    const place = await this.#parts.find();
    if (place === undefined) throw new AppError('MQTT_STANDBY');
    const socket = connectToRelay(place.host, place.port, place.key);
    socket.setNoDelay(true);
    const session = connect(`http://${place.host}`, { ...SESSION_OPTIONS, createConnection: () => socket });
    const line = { session, socket };
    const { promise, resolve, reject } = Promise.withResolvers<Line>();
    const late = setTimeout(() => cut(line), HANDSHAKE_MS);
    session.on('error', () => {});
    session.once('close', () => reject(new AppError('MQTT_STANDBY')));
    session.once('remoteSettings', () => {
      session.setLocalWindowSize(WINDOW_BYTES);
      keepAwake(line);
      resolve(line);
    });
    return promise.finally(() => clearTimeout(late));
  }
}

/**
 * Either end takes the other with it. Of a device that ended by itself the last words may still be on their way: they
 * arrive, and its end after them. One that broke off is reset.
 */
function join(device: Duplex, stream: ClientHttp2Stream): void {
  if (device.destroyed) {
    stream.close(constants.NGHTTP2_CANCEL);
    return;
  }
  stream.on('error', () => {});
  stream.on('close', () => device.destroy());
  device.on('close', () => {
    if (!device.readableEnded) {
      stream.close(constants.NGHTTP2_CANCEL);
      return;
    }
    // The broker's answers go nowhere; unread they would keep it from reading on.
    stream.unpipe(device);
    stream.resume();
  });
  device.pipe(stream);
  stream.pipe(device);
}

/** Ends a connection at once: a session alone would wait for the other side, which may have lost its power. */
function cut({ session, socket }: Line): void {
  session.destroy();
  socket.destroy();
}

function keepAwake(line: Line): void {
  const { session } = line;
  let isAnswered = true;
  const timer = setInterval(() => {
    if (!isAnswered || session.destroyed) {
      cut(line);
      return;
    }
    isAnswered = false;
    session.ping(() => {
      isAnswered = true;
    });
  }, PING_MS);
  session.once('close', () => clearInterval(timer));
}

/** @throws AppError MQTT_STANDBY when the connection ends first. */
async function textOf(stream: ClientHttp2Stream): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    // The host that had the broker is gone, or does not answer; what it did is not known.
    throw new AppError('MQTT_STANDBY');
  }
  if (chunks.length === 0) throw new AppError('MQTT_STANDBY');
  return Buffer.concat(chunks).toString('utf8');
}
