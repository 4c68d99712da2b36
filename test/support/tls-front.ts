import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createConnection } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import type { CertificateFiles } from './certificates.ts';

/** A server that speaks no TLS itself, behind TLS on a free port until the end of the test. @returns the port. */
export async function tlsFront(
  t: TestContext,
  files: CertificateFiles,
  behind: { readonly host: string; readonly port: number },
): Promise<number> {
  const certificate = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  const server = createServer(certificate, (client) => {
    const inner = createConnection(behind.port, behind.host);
    client.pipe(inner).pipe(client);
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  // A client that does not trust it hangs up.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  t.after(() => void server.close());
  return (server.address() as AddressInfo).port;
}
