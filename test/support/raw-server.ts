import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server that answers each connection as the test says, byte for byte. */
export class RawServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What happens with a connection for each request that begins to arrive. */
  answer: (socket: Socket, request: string) => void = (socket) => socket.end();
  connections = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const text = data.toString('latin1');
        if (/^[A-Z]+ \S+ HTTP/.test(text)) this.answer(socket, text);
      });
    });
  }

  static async start(): Promise<RawServer> {
    const raw = new RawServer();
    raw.#server.listen(0, '127.0.0.1');
    await once(raw.#server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
