import { unpackMessage } from '../../core/mqtt-message.ts';
import type {
  BrokerContent,
  RetainedMessage,
  SentDownlink,
  StoredMessage,
  StoredSession,
  StoredWill,
} from '../../ports/broker-store.ts';
import { type BrokerKeys, tenantOfField } from './broker-keys.ts';
import type { RedisLink } from './redis-link.ts';

/** Sessions, and fields of a hash, that are read at once. */
const AT_ONCE = 500;

/** Reads everything, in steps that leave Redis time for others. @throws AppError CACHE_UNAVAILABLE. */
export async function loadBrokerContent(link: RedisLink, keys: BrokerKeys): Promise<BrokerContent> {
  const stored = [...(await readHash(link, keys.sessions)).values()].map(toSession);
  const sessions: BrokerContent['sessions'][number][] = [];
  for (let n = 0; n < stored.length; n += AT_ONCE) {
    const some = stored.slice(n, n + AT_ONCE).map((session) => withQueue(link, keys, session));
    sessions.push(...(await Promise.all(some)));
  }
  const retained = [...(await readHash(link, keys.retained))].map(([field, bytes]) => toRetained(field, bytes));
  const lastSeq = sessions.reduce((last, { queued }) => Math.max(last, queued.at(-1)?.seq ?? 0), 0);
  const wills = [...(await readHash(link, keys.wills)).values()].map(toWill);
  const downlinks = [...(await readHash(link, keys.downlinks)).values()].map(toDownlink);
  downlinks.sort((a, b) => a.sentAt - b.sentAt);
  return { sessions, retained, wills, downlinks, lastSeq };
}

async function withQueue(
  link: RedisLink,
  keys: BrokerKeys,
  session: StoredSession,
): Promise<BrokerContent['sessions'][number]> {
  const messages = [...(await readHash(link, keys.queue(session)))].map(([seq, bytes]) =>
    toMessage(Number(seq), bytes),
  );
  const received = await link.run((redis) => redis.smembers(keys.received(session)));
  const flights = Object.entries(await link.run((redis) => redis.hgetall(keys.flight(session)))).map(([id, seq]) => {
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
  return { tenant: tenantOfField(field), message, expiresAt: expiresAt ?? undefined };
}

function toWill(bytes: Buffer): StoredWill {
  const { message, extra } = unpackMessage(bytes);
  const will = extra as unknown as Omit<StoredWill, 'message'>;
  return { ...will, message, dueAt: will.dueAt };
}

function toDownlink(value: Buffer): SentDownlink {
  return JSON.parse(value.toString('utf8')) as SentDownlink;
}
