import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { ownPort } from '../own-port.ts';

/** Which bytes: of the client to the service, of the service to the client. */
export type Way = 'requests' | 'replies';

/** Between a client and a service: whatever networks do to connections, on command. */
export class TcpProxy {
  readonly port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pipes = new Set<Pipe>();
  readonly #paused = new Set<Way>();
  #server: Server | undefined;
  #delayMs = 0;
  /** Connections accepted so far. */
  accepted = 0;

  private constructor(port: number, target: { readonly host: string; readonly port: number }) {
    this.port = port;
    this.#target = target;
  }

  /** A proxy in front of the service of this URL. */
  static async open(serviceUrl: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(serviceUrl);
    const proxy = new TcpProxy(await ownPort(), { host: hostname, port: Number(port) });
    await proxy.listen();
    return proxy;
  }

  /** The same URL, leading here. */
  url(serviceUrl: string): string {
    return serviceUrl.replace(/(?<=[@/])[^@/]+:\d+(?=[/?]|$)/, `127.0.0.1:${this.port}`);
  }

  /** Connections open now. */
  get open(): number {
    return this.#pipes.size;
  }

  /** Resets every connection on both sides, as a lost route does; new ones are taken. */
  cut(): void {
    for (const pipe of this.#pipes) pipe.reset();
  }

  /** Cuts, and refuses new connections until `listen`. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.cut();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  /** Takes connections again. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#accept(client));
    server.listen(this.port, '127.0.0.1').unref();
    await once(server, 'listening');
    this.#server = server;
  }

  /** Holds the bytes of one way, or of both; connections stay open. What is held goes on at `resume`, or dies at `cut`. */
  pause(...ways: readonly Way[]): void {
    for (const way of ways.length > 0 ? ways : BOTH) this.#paused.add(way);
    this.#apply();
  }

  resume(): void {
    this.#paused.clear();
    this.#apply();
  }

  /** Every byte takes this long each way; 0 ends it. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.refuse();
  }

  #apply(): void {
    for (const pipe of this.#pipes) pipe.hold(this.#paused);
  }

  #accept(client: Socket): void {
    this.accepted++;
    const service = createConnection({ ...this.#target, allowHalfOpen: true });
    const pipe = new Pipe(client, service, () => this.#delayMs);
    this.#pipes.add(pipe);
    pipe.hold(this.#paused);
    pipe.onClose(() => this.#pipes.delete(pipe));
  }
}

const BOTH: readonly Way[] = ['requests', 'replies'];

/** One connection: two sockets and what flows between them. */
class Pipe {
  readonly #client: Socket;
  readonly #service: Socket;
  readonly #requests: Flow;
  readonly #replies: Flow;

  constructor(client: Socket, service: Socket, delayMs: () => number) {
    this.#client = client;
    this.#service = service;
    this.#requests = new Flow(client, service, delayMs);
    this.#replies = new Flow(service, client, delayMs);
    for (const socket of [client, service]) {
      socket.setNoDelay(true).unref();
      socket.on('error', () => this.reset());
    }
  }

  /** Calls when both sides are closed. */
  onClose(closed: () => void): void {
    let open = 2;
    const countDown = () => --open === 0 && closed();
    for (const socket of [this.#client, this.#service]) socket.once('close', countDown);
  }

  hold(ways: ReadonlySet<Way>): void {
    this.#requests.hold(ways.has('requests'));
    this.#replies.hold(ways.has('replies'));
  }

  reset(): void {
    for (const socket of [this.#client, this.#service]) {
      // A socket that is closing or shutting down cannot be reset: Node would keep its handle and spin at the end.
      if (socket.destroyed) continue;
      if (socket.connecting || socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }
}

/** Bytes of one way, in order. */
class Flow {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #delayMs: () => number;
  #last: Promise<void> = Promise.resolve();
  #isHeld = false;
  #released: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  constructor(from: Socket, to: Socket, delayMs: () => number) {
    this.#from = from;
    this.#to = to;
    this.#delayMs = delayMs;
    from.on('data', (chunk: Buffer) => this.#pass(() => to.write(chunk)));
    from.on('end', () => this.#pass(() => to.end()));
    to.on('drain', () => this.#readOn());
  }

  hold(isHeld: boolean): void {
    if (isHeld && !this.#isHeld) {
      this.#released = new Promise((resolve) => {
        this.#release = resolve;
      });
    }
    this.#isHeld = isHeld;
    if (isHeld) this.#from.pause();
    else this.#release();
    this.#readOn();
  }

  #readOn(): void {
    if (!this.#isHeld && !this.#to.writableNeedDrain) this.#from.resume();
  }

  #pass(send: () => unknown): void {
    const due = Date.now() + this.#delayMs();
    this.#last = this.#last.then(() => this.#passAt(due, send));
  }

  async #passAt(due: number, send: () => unknown): Promise<void> {
    const wait = due - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await this.#released;
    if (this.#to.writable) send();
    if (this.#to.writableNeedDrain) this.#from.pause();
  }
}
