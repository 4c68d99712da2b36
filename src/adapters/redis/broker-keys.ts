import type { SentDownlink, SessionKey } from '../../ports/broker-store.ts';

/** Neither a tenant nor a client id nor a topic nor an id can have this character in it. */
const SEPARATOR = '\u001f';

/**
 * Where the broker's part of Redis is: outside every tenant's namespace, so that no script can reach it, and under the
 * mark of the installation, whose hosts share it and no others.
 */
export class BrokerKeys {
  /** Rises with each start of a broker. */
  readonly term: string;
  /** How the other hosts reach the running broker. */
  readonly home: string;
  /** Hashes, by the fields below. */
  readonly sessions: string;
  readonly retained: string;
  readonly wills: string;
  /** Ids of downlinks that were sent. */
  readonly downlinks: string;
  readonly #prefix: string;

  /** @param installation its database's mark (`MysqlAddress.schemaMark`). */
  constructor(installation: string) {
    this.#prefix = `v8host:${installation}:mqtt`;
    this.term = `${this.#prefix}:term`;
    this.home = `${this.#prefix}:home`;
    this.sessions = `${this.#prefix}:sessions`;
    this.retained = `${this.#prefix}:retained`;
    this.wills = `${this.#prefix}:wills`;
    this.downlinks = `${this.#prefix}:downlinks`;
  }

  /** The messages that wait for a session: a hash by their number. */
  queue(key: SessionKey): string {
    return `${this.#prefix}:queue:${sessionField(key)}`;
  }

  /** Packet ids of QoS 2 that a session has received: a set. */
  received(key: SessionKey): string {
    return `${this.#prefix}:received:${sessionField(key)}`;
  }

  /** Packet ids of QoS 2 that its client holds: a hash to the number of the message, empty when the client has it. */
  flight(key: SessionKey): string {
    return `${this.#prefix}:flight:${sessionField(key)}`;
  }
}

export function sessionField({ tenant, clientId }: SessionKey): string {
  return `${tenant}${SEPARATOR}${clientId}`;
}

export function retainedField(tenant: string, topic: string): string {
  return `${tenant}${SEPARATOR}${topic}`;
}

/** The tenant of a `retainedField`. */
export function tenantOfField(field: string): string {
  return field.slice(0, field.indexOf(SEPARATOR));
}

export function downlinkField({ tenant, id }: Pick<SentDownlink, 'tenant' | 'id'>): string {
  return `${tenant}${SEPARATOR}${id}`;
}
