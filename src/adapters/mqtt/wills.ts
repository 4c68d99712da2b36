import type { BrokerMessage, ClientInfo } from '../../ports/broker.ts';
import type { BrokerStore, SessionKey, StoredWill } from '../../ports/broker-store.ts';
import type { Opened } from './connect.ts';

/** A will whose time has come or will come. */
export interface LostWill {
  readonly key: SessionKey;
  readonly client: ClientInfo;
  readonly message: BrokerMessage;
}

interface WaitingWill extends LostWill {
  /** Milliseconds UTC. */
  readonly dueAt: number;
}

/**
 * The wills of all clients. One is in the store from its CONNECT until it is published or its client has said goodbye:
 * so a broker that begins after one was killed publishes those of the connections that ended with it.
 */
export class Wills {
  readonly #store: BrokerStore;
  /** Of clients whose connection is lost; by `nameOf`. */
  readonly #waiting = new Map<string, WaitingWill>();

  constructor(store: BrokerStore) {
    this.#store = store;
  }

  /** A connection begins: what its client's last one left does not matter any more (MQTT 5, 3.1.3.2.2). */
  begin({ session, info, will, willDelay }: Opened): void {
    const had = this.#waiting.delete(nameOf(session.key));
    if (will !== undefined) this.#save(session.key, info, will, { delaySeconds: delayOf(session, willDelay) });
    else if (had) this.#store.dropWill(session.key);
  }

  /** A connection has ended. @returns its will when that is due; undefined when it has none any more, or one that waits. */
  end({ session, info, hadWill, will, willDelay }: Opened, now: number): LostWill | undefined {
    if (will === undefined) {
      if (hadWill) this.#store.dropWill(session.key);
      return undefined;
    }
    const lost = { key: session.key, client: info, message: will };
    const delaySeconds = delayOf(session, willDelay);
    if (delaySeconds === 0) return lost;
    this.#wait(lost, delaySeconds, now + delaySeconds * 1000);
    return undefined;
  }

  /** Takes the will of a client that waits, whatever its time. */
  take(key: SessionKey): LostWill | undefined {
    const name = nameOf(key);
    const will = this.#waiting.get(name);
    this.#waiting.delete(name);
    return will;
  }

  isDue(key: SessionKey, now: number): boolean {
    const will = this.#waiting.get(nameOf(key));
    return will !== undefined && will.dueAt <= now;
  }

  /** Takes those whose time has come. */
  takeDue(now: number): LostWill[] {
    const due = [...this.#waiting.values()].filter(({ dueAt }) => dueAt <= now);
    for (const { key } of due) this.#waiting.delete(nameOf(key));
    return due;
  }

  /** Published, or refused by the gate: it leaves the store with the write of what it left there. */
  sent({ key }: LostWill): void {
    this.#store.dropWill(key);
  }

  /** Takes up what a store kept. A connection of then is lost now. */
  restore({ tenant, clientId, client, message, delaySeconds, dueAt }: StoredWill, now: number): void {
    const lost = { key: { tenant, clientId }, client: { ...client, isOpen: () => false }, message };
    this.#wait(lost, delaySeconds, dueAt ?? now + delaySeconds * 1000);
  }

  #wait(lost: LostWill, delaySeconds: number, dueAt: number): void {
    this.#waiting.set(nameOf(lost.key), { ...lost, dueAt });
    this.#save(lost.key, lost.client, lost.message, { delaySeconds, dueAt });
  }

  #save(
    { tenant, clientId }: SessionKey,
    { isOpen: _, ...client }: ClientInfo,
    message: BrokerMessage,
    { delaySeconds, dueAt }: { readonly delaySeconds: number; readonly dueAt?: number },
  ): void {
    this.#store.saveWill({ tenant, clientId, client, message, delaySeconds, dueAt });
  }
}

/** It comes when the session ends, if that is earlier (MQTT 5, 3.1.3.2.2). Seconds. */
function delayOf(session: Opened['session'], willDelay: number): number {
  return session.isPersistent ? Math.min(willDelay, session.expirySeconds ?? willDelay) : 0;
}

/** Neither a tenant nor a client id can have the character between them. */
function nameOf({ tenant, clientId }: SessionKey): string {
  return `${tenant}\u001f${clientId}`;
}
