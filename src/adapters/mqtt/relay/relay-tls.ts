import { type ConnectionOptions, connect, createServer, type Server, type TLSSocket } from 'node:tls';

/** The key that both hosts have from the store they share, as text. */
export type RelayKey = string;

const IDENTITY = 'v8host';

/**
 * TLS with a key in place of certificates: a host that has it is one of ours, and what devices send to one host is
 * hidden on its way to the other. With an exchange of keys, so that a key that gets known opens nothing recorded. TLS 1.3
 * of Node has no such keys.
 */
const COMMON = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-AES256-GCM-SHA384',
  minVersion: 'TLSv1.2' as const,
  maxVersion: 'TLSv1.2' as const,
  // Without it the sessions of HTTP/2 would take it for HTTP/1.1.
  ALPNProtocols: ['h2'],
};

/** Time for a connection and its handshake. Milliseconds. */
export const HANDSHAKE_MS = 3_000;

export function createRelayServer(key: RelayKey, onSocket: (socket: TLSSocket) => void): Server {
  const options = { ...COMMON, pskCallback: () => Buffer.from(key), pskIdentityHint: IDENTITY };
  const server = createServer({ ...options, handshakeTimeout: HANDSHAKE_MS }, onSocket);
  // Whoever has no key is sent away; that is no fault of ours.
  server.on('tlsClientError', () => {});
  return server;
}

export function connectToRelay(host: string, port: number, key: RelayKey): TLSSocket {
  const options: ConnectionOptions = {
    ...COMMON,
    host,
    port,
    pskCallback: () => ({ psk: Buffer.from(key), identity: IDENTITY }),
    // There is no certificate whose name could be looked at: the key is the proof.
    checkServerIdentity: () => undefined,
  };
  return connect(options);
}
