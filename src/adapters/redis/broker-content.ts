import { unpackMessage } from '../../core/mqtt-message.ts';
import type {
  BrokerContent,
  RetainedMessage,
  SessionKey,
  StoredMessage,
  StoredSession,
} from '../../ports/broker-store.ts';
import type { RedisLink } from './redis-link.ts';

/** Where the broker's part of Redis is: outside every tenant's namespace, so that no script can reach it. */
export const KEYS = {
  /** Rises with each start of a broker. */
  term: 'v8host:mqtt:term',
  /** How the other hosts reach the running broker. */
  home: 'v8host:mqtt:home',
  sessions: 'v8host:mqtt:sessions',
  retained: 'v8host:mqtt:retained',
} as const;

/** Sessions, and fields of a hash, that are read at once. */
const AT_ONCE = 500;

/** Neither a tenant nor a client id nor a topic can have this character in it. */
const SEPARATOR = '\u001f';

export function sessionField({ tenant, clientId }: SessionKey): string {
  return `${tenant}${SEPARATOR}${clientId}`;
}

/** The messages that wait for a session: a hash by their number. */
export function queueKey(key: SessionKey): string {
  return `v8host:mqtt:queue:${sessionField(key)}`;
}

/** Packet ids of QoS 2 that a session has received: a set. */
export function receivedKey(key: SessionKey): string {
  return `v8host:mqtt:received:${sessionField(key)}`;
}

/** Packet ids of QoS 2 that its client holds: a hash to the number of the message, empty when the client has it. */
export function flightKey(key: SessionKey): string {
  return `v8host:mqtt:flight:${sessionField(key)}`;
}

export function retainedField(tenant: string, topic: string): string {
  return `${tenant}${SEPARATOR}${topic}`;
}

/** Reads everything, in steps that leave Redis time for others. @throws AppError CACHE_UNAVAILABLE. */
export async function loadBrokerContent(link: RedisLink): Promise<BrokerContent> {
  const stored = [...(await readHash(link, KEYS.sessions)).values()].map(toSession);
  const sessions: BrokerContent['sessions'][number][] = [];
  for (let n = 0; n < stored.length; n += AT_ONCE) {
    const some = stored.slice(n, n + AT_ONCE).map((session) => withQueue(link, session));
    sessions.push(...(await Promise.all(some)));
  }
  const retained = [...(await readHash(link, KEYS.retained))].map(([field, bytes]) => toRetained(field, bytes));
  const lastSeq = sessions.reduce((last, { queued }) => Math.max(last, queued.at(-1)?.seq ?? 0), 0);
  return { sessions, retained, lastSeq };
}

async function withQueue(link: RedisLink, session: StoredSession): Promise<BrokerContent['sessions'][number]> {
  const messages = [...(await readHash(link, queueKey(session)))].map(([seq, bytes]) => toMessage(Number(seq), bytes));
  const received = await link.run((redis) => redis.smembers(receivedKey(session)));
  const flights = Object.entries(await link.run((redis) => redis.hgetall(flightKey(session)))).map(([id, seq]) => {
    return { packetId: Number(id), seq: seq === '' ? undefined : Number(seq) };
  });
  return { ...session, queued: messages.sort((a, b) => a.seq - b.seq), received: received.map(Number), flights };
}

/** All fields; the server may show one of them twice. */
async function readHash(link: RedisLink, key: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let cursor = '0';
  do {
    const [next, parts] = await link.run((redis) => redis.hscanBuffer(key, cursor, 'COUNT', AT_ONCE));
    for (let n = 0; n + 1 < parts.length; n += 2) {
      found.set((parts[n] as Buffer).toString('utf8'), parts[n + 1] as Buffer);
    }
    cursor = next.toString('utf8');
  } while (cursor !== '0');
  return found;
}

function toSession(value: Buffer): StoredSession {
  const session = JSON.parse(value.toString('utf8')) as StoredSession;
  return { ...session, expirySeconds: session.expirySeconds, offlineSince: session.offlineSince };
}

function toMessage(seq: number, bytes: Buffer): StoredMessage {
  const { message, extra } = unpackMessage(bytes);
  const as = extra as unknown as Omit<StoredMessage, 'seq' | 'message' | 'expiresAt'> & { expiresAt: number | null };
  return { ...as, seq, message, expiresAt: as.expiresAt ?? undefined };
}

function toRetained(field: string, bytes: Buffer): RetainedMessage {
  const { message, extra } = unpackMessage(bytes);
  const { expiresAt } = extra as unknown as { readonly expiresAt: number | null };
  const tenant = field.slice(0, field.indexOf(SEPARATOR));
  return { tenant, message, expiresAt: expiresAt ?? undefined };
}
