import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { AppError } from '../../core/errors.ts';
import type { BrokerListener } from '../../ports/broker.ts';

export interface ListenerOptions extends BrokerListener {
  /** Of `mqtts` and `wss`. */
  readonly tls?: TlsOptions;
  /** Name of the port's setting, for the message when it cannot be had. */
  readonly setting: string;
  /** Ports tried after one that is taken. */
  readonly portsTried: number;
  /** Largest WebSocket message. Bytes. */
  readonly maxMessageBytes: number;
  /** Time for a TLS handshake, and for the whole request of a WebSocket. Milliseconds; HANDSHAKE_MS without it. */
  readonly handshakeMs?: number;
}

export interface Listening {
  readonly listener: BrokerListener;
  /** Takes no more connections; resolves when those there are have gone. */
  close(): Promise<void>;
}

type Accept = (stream: Duplex, address: string) => void;

/** Time for a TLS handshake, and for the whole request of a WebSocket. Milliseconds. */
const HANDSHAKE_MS = 10_000;

/** How often requests that do not get on are looked for. Milliseconds. */
const REQUEST_CHECK_MS = 1_000;

/** Time for the last bytes to leave when the listener closes. Milliseconds. */
const LINGER_MS = 1_000;

/** Opens one listener. @param onError told of failures later on. @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID. */
export async function openListener(
  options: ListenerOptions,
  accept: Accept,
  onError: (error: Error) => void,
): Promise<Listening> {
  const server = makeServer(options, accept);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
  });
  await listenOn(server, options);
  // Such as no file descriptors left: it goes on with those connections there are.
  server.on('error', onError);
  const { port } = server.address() as AddressInfo;
  return {
    listener: { kind: options.kind, bind: options.bind, port },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Those that have said goodbye go by themselves; a peer that does not read must not hold up the end.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, LINGER_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function makeServer(options: ListenerOptions, accept: Accept): Server {
  const overSocket = (socket: Socket): void => accept(socket, socket.remoteAddress ?? '');
  const handshakeTimeout = options.handshakeMs ?? HANDSHAKE_MS;
  const http = {
    headersTimeout: handshakeTimeout,
    requestTimeout: handshakeTimeout,
    connectionsCheckingInterval: REQUEST_CHECK_MS,
  };
  switch (options.kind) {
    case 'mqtt':
      return createTcpServer(overSocket);
    case 'mqtts': {
      const server = securely(() => createTlsServer({ ...options.tls, handshakeTimeout }, overSocket));
      // A failed handshake is the peer's business and ends its socket.
      server.on('tlsClientError', () => {});
      return server;
    }
    case 'ws':
      return withWebSockets(createHttpServer(http, askForUpgrade), options, accept);
    case 'wss':
      return withWebSockets(
        securely(() => createHttpsServer({ ...options.tls, ...http, handshakeTimeout }, askForUpgrade)),
        options,
        accept,
      );
  }
}

function withWebSockets<S extends ReturnType<typeof createHttpServer>>(
  server: S,
  { maxMessageBytes }: ListenerOptions,
  accept: Accept,
): S {
  const sockets = new WebSocketServer({
    server,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...offered].find((name) => /^mqtt/.test(name)) ?? false,
  });
  // It repeats the errors of the server, which `listenOn` answers; without a listener they would end the process.
  sockets.on('error', () => {});
  sockets.on('connection', (socket, request) => {
    accept(createWebSocketStream(socket), request.socket.remoteAddress ?? '');
  });
  server.on('close', () => sockets.close());
  return server;
}

/** There is nothing here but WebSockets (RFC 9110, 15.5.22). */
function askForUpgrade(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426, { Upgrade: 'websocket', Connection: 'Upgrade, close', 'Content-Length': 0 });
  response.end();
}

function securely<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('MQTT_TLS_INVALID', { field: 'mqtt.tls', reason }, { cause: error });
  }
}

async function listenOn(server: Server, options: ListenerOptions): Promise<void> {
  const last = options.port === 0 ? 0 : Math.min(options.port + options.portsTried, 65_535);
  for (let port = options.port; ; port++) {
    const failure = await tryPort(server, options.bind, port);
    if (failure === undefined) return;
    if (failure !== 'EADDRINUSE' || port >= last) {
      const address = `${options.bind}:${options.port}`;
      throw new AppError('MQTT_LISTEN_FAILED', { address, reason: failure, setting: options.setting });
    }
  }
}

/** @returns the error's code, or undefined when it listens. */
function tryPort(server: Server, bind: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    server.once('error', failed);
    server.listen({ host: bind, port }, () => {
      server.off('error', failed);
      resolve(undefined);
    });
  });
}
