import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A server that lets every request wait until the test opens it: a place inside a run of a host process. */
export class GateServer {
  readonly port: number;
  readonly #server: Server;
  readonly #waiting: ServerResponse[] = [];
  #requests = 0;
  #opened = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (_, response) => {
      this.#requests += 1;
      if (this.#opened) response.end('{}');
      else this.#waiting.push(response);
    });
  }

  static async listen(t: Pick<TestContext, 'after'>): Promise<GateServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const gate = new GateServer(server);
    t.after(() => gate.#close());
    return gate;
  }

  /** Requests that came so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Answers what waits and everything that comes from now on. */
  open(): void {
    this.#opened = true;
    for (const response of this.#waiting.splice(0)) response.end('{}');
  }

  #close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
