import { constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, coerceError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json.ts';
import { unpackMessage } from '../../../core/mqtt-message.ts';
import type { LocalBroker } from '../../../ports/broker.ts';
import { PATHS, SESSION_OPTIONS, WINDOW_BYTES } from './relay-protocol.ts';
import { createRelayServer, type RelayKey } from './relay-tls.ts';

/** A broker that takes connections from elsewhere. */
export interface RelayedBroker extends Omit<LocalBroker, 'listeners' | 'stop' | 'connectionCount'> {
  accept(stream: Duplex, address: string): void;
}

export interface RelayServerOptions {
  readonly bind: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly key: RelayKey;
}

/** Largest request: a message with its properties. Bytes. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/** The way from the other hosts to this one's broker: connections of their devices, and what people and scripts ask. */
export interface RelayServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens it. @throws AppError MQTT_LISTEN_FAILED. */
export async function openRelayServer(
  { bind, port, key }: RelayServerOptions,
  broker: RelayedBroker,
): Promise<RelayServer> {
  const sessions = createServer({ ...SESSION_OPTIONS });
  sessions.on('stream', (stream, headers) => serve(broker, stream as ServerHttp2Stream, headers));
  sessions.on('session', (session) => {
    session.setLocalWindowSize(WINDOW_BYTES);
    open.add(session);
    session.on('close', () => open.delete(session));
    session.on('error', () => {});
  });
  sessions.on('sessionError', () => {});
  const open = new Set<{ destroy(): void }>();
  const sockets = new Set<Duplex>();
  const server = createRelayServer(key, (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    sessions.emit('connection', socket);
  });
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const reason = error.code ?? error.message;
      reject(new AppError('MQTT_LISTEN_FAILED', { address: `${bind}:${port}`, reason, setting: 'mqtt.shared.port' }));
    };
    server.once('error', failed);
    server.listen({ host: bind, port }, () => {
      server.off('error', failed);
      server.on('error', () => {});
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of open) session.destroy();
      // A session alone would wait for a host that may have lost its power.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function serve(broker: RelayedBroker, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  // A reset by the other side is the end of the device's connection, no more.
  stream.on('error', () => {});
  if (headers[':path'] === PATHS.device) {
    stream.respond({ ':status': 200 });
    broker.accept(stream, String(headers['x-address'] ?? ''));
    return;
  }
  void answer(broker, stream, headers);
}

async function answer(broker: RelayedBroker, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  let reply: { readonly value: JsonValue } | { readonly error: JsonValue };
  try {
    reply = { value: await call(broker, headers, await bodyOf(stream)) };
  } catch (error) {
    reply = { error: coerceError(error).toRecord() as unknown as JsonValue };
  }
  if (stream.closed || stream.destroyed) return;
  stream.respond({ ':status': 200 });
  stream.end(JSON.stringify(reply));
}

/** What people and scripts of the other host ask of the broker. */
async function call(broker: RelayedBroker, headers: IncomingHttpHeaders, body: Buffer): Promise<JsonValue> {
  if (headers[':path'] === PATHS.publish) {
    const { message, extra } = unpackMessage(body);
    const id = headers['x-id'];
    return broker.publish(String(extra), message, typeof id === 'string' ? id : undefined);
  }
  const { tenant, name } = JSON.parse(body.toString('utf8')) as { readonly tenant: string; readonly name: string };
  switch (headers[':path']) {
    case PATHS.sessions:
      return broker.sessions(tenant) as unknown as JsonValue;
    case PATHS.retained:
      return broker.retained(tenant) as unknown as JsonValue;
    case PATHS.subscribers:
      return broker.subscribers(tenant, name);
    case PATHS.disconnect:
      return broker.disconnect(tenant, name);
    default:
      throw new AppError('NOT_FOUND', { what: String(headers[':path']) });
  }
}

async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).byteLength;
    if (bytes <= MAX_REQUEST_BYTES) continue;
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    throw new AppError('MESSAGE_TOO_LARGE', { size: bytes, limit: MAX_REQUEST_BYTES });
  }
  return Buffer.concat(chunks);
}
