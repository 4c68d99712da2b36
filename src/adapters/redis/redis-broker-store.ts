import { AppError, coerceError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { packMessage } from '../../core/mqtt-message.ts';
import type {
  BrokerContent,
  BrokerStore,
  RetainedMessage,
  SentDownlink,
  SessionKey,
  StoredFlight,
  StoredMessage,
  StoredSession,
  StoredWill,
} from '../../ports/broker-store.ts';
import type { Log } from '../../ports/log.ts';
import { loadBrokerContent } from './broker-content.ts';
import { BrokerKeys, downlinkField, retainedField, sessionField } from './broker-keys.ts';
import type { RedisLink } from './redis-link.ts';

/** A command and what goes with it. */
type Command = readonly (string | Uint8Array)[];

/**
 * Does a list of commands, unless a later broker has begun: each start of one raises the term, so that a host that was
 * frozen, or cut off from the database that gave it the role, changes nothing any more. @returns 0 then.
 */
const APPLY = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  local at = 2
  while at <= #ARGV do
    local count = tonumber(ARGV[at])
    redis.call(unpack(ARGV, at + 1, at + count))
    at = at + count + 1
  end
  return 1`;

/** Of one call of the script: Redis serves nobody else meanwhile. */
const MOST_COMMANDS = 1_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Pause before what could not be written is tried again. Milliseconds. */
const RETRY_MS = 1_000;

export interface RedisBrokerStoreParts {
  readonly link: RedisLink;
  /** Whose hosts share it (broker-keys.ts). */
  readonly installation: string;
  readonly log: Log;
  /** A later broker has begun, or Redis has forgotten this one: nothing can be stored any more. */
  onLost(): void;
}

/**
 * The broker's sessions, what waits for them and the retained messages on a Redis server, where the next host that runs
 * the broker finds them. Everything changed in one turn of the event loop leaves together; what could not be written
 * stays, in its order, for the next time.
 */
export class RedisBrokerStore implements BrokerStore {
  readonly #parts: RedisBrokerStoreParts;
  readonly #keys: BrokerKeys;
  readonly #term: string;
  readonly #content: BrokerContent;
  #commands: (Command | undefined)[] = [];
  /** Where the messages among the commands stand, until they leave. */
  readonly #unwritten = new Map<number, number>();
  #writing: Promise<void> | undefined;
  #planned: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isLost = false;
  #isClosed = false;

  private constructor(parts: RedisBrokerStoreParts, keys: BrokerKeys, term: string, content: BrokerContent) {
    this.#parts = parts;
    this.#keys = keys;
    this.#term = term;
    this.#content = content;
  }

  /** Begins a term: brokers before it can write nothing any more. @throws AppError CACHE_UNAVAILABLE. */
  static async open(parts: RedisBrokerStoreParts): Promise<RedisBrokerStore> {
    const keys = new BrokerKeys(parts.installation);
    await parts.link.probe();
    const term = await parts.link.run((redis) => redis.incr(keys.term));
    return new RedisBrokerStore(parts, keys, String(term), await loadBrokerContent(parts.link, keys));
  }

  get isDirty(): boolean {
    return this.#commands.length > 0 || this.#writing !== undefined;
  }

  get isUsable(): boolean {
    return !this.#isFailing && !this.#isLost;
  }

  load(): BrokerContent {
    return this.#content;
  }

  saveSession(session: StoredSession): void {
    this.#later(['HSET', this.#keys.sessions, sessionField(session), JSON.stringify(session)]);
  }

  dropSession(key: SessionKey): void {
    this.#later(['HDEL', this.#keys.sessions, sessionField(key)]);
    this.#later(['UNLINK', this.#keys.queue(key), this.#keys.received(key), this.#keys.flight(key)]);
  }

  addMessage(key: SessionKey, { seq, message, qos, retain, identifiers, expiresAt }: StoredMessage): void {
    this.#unwritten.set(seq, this.#commands.length);
    const as = { qos, retain, identifiers, expiresAt: expiresAt ?? null };
    this.#later(['HSET', this.#keys.queue(key), String(seq), packMessage(message, as)]);
  }

  dropMessage(key: SessionKey, seq: number): void {
    const at = this.#unwritten.get(seq);
    this.#unwritten.delete(seq);
    if (at !== undefined) this.#commands[at] = undefined;
    else this.#later(['HDEL', this.#keys.queue(key), String(seq)]);
  }

  saveFlight(key: SessionKey, { packetId, seq }: StoredFlight): void {
    this.#later(['HSET', this.#keys.flight(key), String(packetId), seq === undefined ? '' : String(seq)]);
  }

  dropFlight(key: SessionKey, packetId: number): void {
    this.#later(['HDEL', this.#keys.flight(key), String(packetId)]);
  }

  addReceived(key: SessionKey, packetId: number): void {
    this.#later(['SADD', this.#keys.received(key), String(packetId)]);
  }

  dropReceived(key: SessionKey, packetId: number): void {
    this.#later(['SREM', this.#keys.received(key), String(packetId)]);
  }

  saveRetained({ tenant, message, expiresAt }: RetainedMessage): void {
    const field = retainedField(tenant, message.topic);
    if (message.payload.byteLength === 0) this.#later(['HDEL', this.#keys.retained, field]);
    else this.#later(['HSET', this.#keys.retained, field, packMessage(message, { expiresAt: expiresAt ?? null })]);
  }

  saveWill({ message, ...will }: StoredWill): void {
    this.#later(['HSET', this.#keys.wills, sessionField(will), packMessage(message, will as unknown as JsonValue)]);
  }

  dropWill(key: SessionKey): void {
    this.#later(['HDEL', this.#keys.wills, sessionField(key)]);
  }

  saveDownlink(sent: SentDownlink): void {
    this.#later(['HSET', this.#keys.downlinks, downlinkField(sent), JSON.stringify(sent)]);
  }

  dropDownlink(sent: Pick<SentDownlink, 'tenant' | 'id'>): void {
    this.#later(['HDEL', this.#keys.downlinks, downlinkField(sent)]);
  }

  /** Tells the other hosts something about this broker, under its term. */
  announce(text: string): Promise<void> {
    this.#later(['SET', this.#keys.home, text]);
    return this.flushed();
  }

  /** Everybody who asks within one turn waits for the same write. */
  flushed(): Promise<void> {
    if (this.#isLost) return Promise.reject(lostError());
    if (this.#commands.length === 0) return this.#writing ?? Promise.resolve();
    this.#planned ??= this.#next();
    return this.#planned;
  }

  /** What could not be written by now is lost with the process; so is what a lost term could not. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  #later(command: Command): void {
    this.#commands.push(command);
    // Nobody may wait for this one; it must not stay behind all the same.
    if (this.#commands.length === 1) this.flushed().catch(() => undefined);
  }

  async #next(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    // The rest of this turn belongs to it.
    await new Promise((resolve) => setImmediate(resolve));
    this.#planned = undefined;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    const commands = this.#commands;
    this.#commands = [];
    this.#unwritten.clear();
    let done = 0;
    try {
      while (done < commands.length) {
        const end = endOfBatch(commands, done);
        await this.#apply(commands.slice(done, end));
        done = end;
      }
      this.#isFailing = false;
    } catch (error) {
      this.#keep(commands.slice(done));
      this.#failed(error);
      throw error;
    }
  }

  async #apply(commands: readonly (Command | undefined)[]): Promise<void> {
    const parts = commands.flatMap((command) => (command === undefined ? [] : [String(command.length), ...command]));
    if (parts.length === 0) return;
    const values = parts.map((part) =>
      typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength),
    );
    const done = this.#isLost
      ? 0
      : await this.#parts.link.run((redis) => redis.eval(APPLY, 1, this.#keys.term, this.#term, ...values));
    if (done === 1) return;
    this.#lose();
    throw lostError();
  }

  /** They come before what has been changed since; a message among them may have been written, so it is not left out. */
  #keep(commands: readonly (Command | undefined)[]): void {
    for (const [seq, at] of this.#unwritten) this.#unwritten.set(seq, at + commands.length);
    this.#commands = [...commands, ...this.#commands];
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // Whoever closed it is no longer concerned.
    if (!this.#isClosed) this.#parts.onLost();
  }

  #failed(error: unknown): void {
    if (!this.#isFailing && !this.#isLost) this.#parts.log.error('mqtt.store_failed', { err: coerceError(error) });
    this.#isFailing = true;
    if (this.#isLost || this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.flushed().catch(() => undefined), RETRY_MS).unref();
  }
}

function lostError(): AppError {
  return new AppError('QUEUE_STORE_UNUSABLE', { file: 'Redis', reason: 'another host runs the broker' });
}

/** @returns where a batch from `start` ends: so many commands, or so many bytes, one command at least. */
function endOfBatch(commands: readonly (Command | undefined)[], start: number): number {
  let bytes = 0;
  let end = start;
  while (end < commands.length && end - start < MOST_COMMANDS && bytes < MOST_BYTES) {
    for (const part of commands[end] ?? []) bytes += part.length;
    end++;
  }
  return end;
}

/** What the running broker has told last; empty after its end, undefined before the first. @throws AppError CACHE_UNAVAILABLE. */
export async function findBrokerHome(link: RedisLink, installation: string): Promise<string | undefined> {
  const { home } = new BrokerKeys(installation);
  return (await link.run((redis) => redis.get(home))) ?? undefined;
}
