import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { bodyOf } from './json-body.ts';

/** Remembered keys; older ones are forgotten. */
const KEYS_KEPT = 10_000;

/** Calls of `/flaky/{eventId}` that fail before one succeeds. */
const FLAKY_FAILURES = 2;

/**
 * The outside system that the sample scripts call: an ERP that takes an order once per `Idempotency-Key`, and one
 * that is away for the first two calls of each event. It forgets everything when the host ends, holds nothing of
 * value and answers this machine only.
 */
export function addDemoErp(server: FastifyInstance): void {
  const receipts = new BoundedMap<Receipt>(KEYS_KEPT);
  const calls = new BoundedMap<number>(KEYS_KEPT);
  let lastReceipt = 0;

  server.post('/demo/erp', async (request) => {
    refuseStrangers(request.ip);
    const key = String(request.headers['idempotency-key'] ?? '');
    const known = key === '' ? undefined : receipts.get(key);
    if (known !== undefined) return known;
    lastReceipt += 1;
    const receipt: Receipt = { accepted: true, orderId: orderIdOf(bodyOf(request)?.value), receipt: lastReceipt };
    if (key !== '') receipts.set(key, receipt);
    return receipt;
  });

  server.post('/demo/erp/flaky/:eventId', async (request, reply) => {
    refuseStrangers(request.ip);
    const { eventId } = request.params as { eventId: string };
    const call = (calls.get(eventId) ?? 0) + 1;
    calls.set(eventId, call);
    if (call > FLAKY_FAILURES) return { accepted: true, eventId, call };
    reply.code(503);
    return { accepted: false, eventId, call };
  });
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

function refuseStrangers(ip: string): void {
  if (!/^(127\.|::1$|::ffff:127\.)/.test(ip)) throw new AppError('NOT_FOUND', { what: '/demo/erp' });
}
