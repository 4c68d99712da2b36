import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect, createSecureContext, TLSSocket, type TlsOptions } from 'node:tls';
import { type Certificate, certificateChain } from '../../core/certificate.ts';

/** Both sides are in this process. Milliseconds. */
const HANDSHAKE_MS = 10_000;

/**
 * The certificates that a listener with these options sends to its clients, from PEM and PFX alike: a handshake in
 * memory tells what neither file format shows by itself. Empty when there is none. Rejects when there is no handshake.
 */
export async function servedChain(options: TlsOptions): Promise<readonly Certificate[]> {
  const [near, far] = duplexPair();
  const server = new TLSSocket(far, { isServer: true, secureContext: createSecureContext(options) });
  // The client's error says the same.
  server.on('error', () => undefined);
  const client = connect({ socket: near, rejectUnauthorized: false });
  try {
    await once(client, 'secureConnect', { signal: AbortSignal.timeout(HANDSHAKE_MS) });
    return certificateChain(client.getPeerCertificate(true));
  } finally {
    client.destroy();
    server.destroy();
  }
}
