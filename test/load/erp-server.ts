import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the outside system does: it answers at once, after `SLOW_MS`, or 503. */
export type ErpMood = 'well' | 'slow' | 'away';

const SLOW_MS = 800;

/** The outside system of one tenant. It keeps every request, so that repeated bookings show. */
export class ErpServer {
  mood: ErpMood = 'well';
  readonly url: string;
  readonly #server: Server;
  /** Idempotency keys by order, as they came; those of answers 503 are not bookings. */
  readonly #keys = new Map<string, Set<string>>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<ErpServer> {
    let erp: ErpServer | undefined;
    const server = createServer((request, response) => void erp?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    erp = new ErpServer(server);
    return erp;
  }

  /** Orders that were booked, with the number of keys under which they came: one of each is right. */
  bookings(): ReadonlyMap<string, number> {
    return new Map([...this.#keys].map(([order, keys]) => [order, keys.size]));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const mood = this.mood;
    if (mood === 'slow') await sleep(SLOW_MS);
    if (mood !== 'away') this.#book(text, request.headers['idempotency-key']);
    response.writeHead(mood === 'away' ? 503 : 200, { 'content-type': 'application/json' });
    response.end('{}');
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #book(text: string, key: string | string[] | undefined): void {
    const { Order } = JSON.parse(text) as { Order: string };
    const keys = this.#keys.get(Order) ?? new Set();
    this.#keys.set(Order, keys.add(String(key)));
  }
}
