import Fastify, { type FastifyInstance } from 'fastify';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { acceptJsonBodies, bodyOf } from './json-body.ts';

/** More than an order of the demo has. */
const MAX_ORDER_BYTES = 1024 * 1024;

/** Remembered keys; older ones are forgotten. */
const KEYS_KEPT = 10_000;

/** Calls of `/flaky/{eventId}` that fail before one succeeds. */
const FLAKY_FAILURES = 2;

/**
 * The outside system that the sample scripts call: an ERP that takes an order once per `Idempotency-Key`, and one
 * that is away for the first two calls of each event. It forgets everything when the host ends and holds nothing of
 * value. It is a server of its own, on loopback: scripts may reach its port, and must not reach the admin API's.
 */
export function createDemoErp(): FastifyInstance {
  const server = Fastify({ bodyLimit: MAX_ORDER_BYTES });
  acceptJsonBodies(server);
  const receipts = new BoundedMap<Receipt>(KEYS_KEPT);
  const calls = new BoundedMap<number>(KEYS_KEPT);
  let lastReceipt = 0;

  server.post('/erp', async (request) => {
    const key = String(request.headers['idempotency-key'] ?? '');
    const known = key === '' ? undefined : receipts.get(key);
    if (known !== undefined) return known;
    lastReceipt += 1;
    const receipt: Receipt = { accepted: true, orderId: orderIdOf(bodyOf(request)?.value), receipt: lastReceipt };
    if (key !== '') receipts.set(key, receipt);
    return receipt;
  });

  server.post('/erp/flaky/:eventId', async (request, reply) => {
    const { eventId } = request.params as { eventId: string };
    const call = (calls.get(eventId) ?? 0) + 1;
    calls.set(eventId, call);
    if (call > FLAKY_FAILURES) return { accepted: true, eventId, call };
    reply.code(503);
    return { accepted: false, eventId, call };
  });
  return server;
}

interface Receipt {
  readonly accepted: true;
  readonly orderId: JsonValue;
  /** The same number again for the same key: how a script's author sees that a repeated call did nothing. */
  readonly receipt: number;
}

/** A map that forgets its oldest entries. */
class BoundedMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

function orderIdOf(body: JsonValue | undefined): JsonValue {
  return isJsonObject(body) ? (body.OrderId ?? null) : null;
}
