import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the range of outgoing connections: a client that calls a dead service there could meet itself. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * A TCP port of 127.0.0.1 that stays this process's own until it ends, also while its service is down: no other run of
 * the tests on this machine gets it, nor does a listener that takes any port. The UDP port of the same number is the
 * mark; no service of ours uses UDP.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const mark = await markPort(port);
    if (mark === undefined) continue;
    if (await isFree(port)) return port;
    mark.close();
  }
}

function markPort(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const mark = createSocket('udp4');
    mark.once('error', () => resolve(undefined));
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(mark.unref()));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
