import { randomBytes } from 'node:crypto';
import { coerceError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { BrokerMessage, BrokerRules, ClientInfo, DisconnectInfo } from '../../ports/broker.ts';
import type { BrokerStore } from '../../ports/broker-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { BrokerLimits } from './broker-limits.ts';
import type { Opened } from './connect.ts';
import type { Connection } from './connection.ts';
import { messageBytes } from './kept-bytes.ts';
import { REASON } from './reason-codes.ts';
import type { Session, SessionLink } from './session.ts';
import { type QuotaKind, TenantSpace } from './tenant-space.ts';
import { type LostWill, Wills } from './wills.ts';

export interface BrokerParts {
  readonly rules: BrokerRules;
  readonly store: BrokerStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: BrokerLimits;
}

/** After this an ended connection is cut although its last bytes have not left. Milliseconds. */
const LINGER_MS = 2_000;

/** A client that was let in and has no session yet. */
export interface Newcomer {
  readonly tenant: string;
  readonly clientId: string;
  readonly clean: boolean;
  /** When it came: a session that was alive then is taken up, however long the former connection takes to end. */
  readonly askedAt: number;
}

function isTakenUp(session: Session, { clean, askedAt }: Newcomer): boolean {
  return !clean && session.isPersistent && !session.isExpired(askedAt);
}

/** The sessions that a message goes to; `not-retained` when it went out, but the tenant may retain no more. */
export type Delivered = number | 'not-retained';

/** What the connections of a broker share: the tenants' spaces, the store and the rules. */
export class BrokerCore {
  readonly rules: BrokerRules;
  readonly store: BrokerStore;
  readonly limits: BrokerLimits;
  readonly wills: Wills;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #spaces = new Map<string, TenantSpace>();
  readonly #ending = new Set<Promise<void>>();
  readonly #lingering = new Set<NodeJS.Timeout>();
  #seq: number;
  #epoch: number;
  #stopping = false;
  readonly #refusals = new Map<string, number>();

  constructor({ rules, store, clock, log, limits }: BrokerParts) {
    this.rules = rules;
    this.store = store;
    this.limits = limits;
    this.wills = new Wills(store);
    this.#clock = clock;
    this.#log = log;
    // Later than any epoch of an earlier start, so that what it left behind is never newer.
    this.#epoch = clock.now();
    this.#seq = this.#restore();
  }

  now(): number {
    return this.#clock.now();
  }

  nextEpoch(): number {
    return ++this.#epoch;
  }

  assignClientId(): string {
    return `auto-${randomBytes(10).toString('hex')}`;
  }

  later(work: () => void): void {
    const timer = setTimeout(() => {
      this.#lingering.delete(timer);
      work();
    }, LINGER_MS).unref();
    this.#lingering.add(timer);
  }

  space(tenant: string): TenantSpace {
    const key = tenantKey(tenant);
    let space = this.#spaces.get(key);
    if (space === undefined) {
      space = new TenantSpace(key, {
        store: this.store,
        limits: this.limits,
        nextSeq: () => ++this.#seq,
        now: () => this.now(),
        onDropped: (session) => this.#noteDropped(session),
        onFull: (full, what) => this.#noteFull(full, what),
      });
      this.#spaces.set(key, space);
    }
    return space;
  }

  /**
   * Ends the other connection of a client, if there is one.
   * @returns what `attach` has to wait for; undefined when nothing of an earlier connection is under way.
   */
  endFormer(newcomer: Newcomer): Promise<void> | undefined {
    const space = this.space(newcomer.tenant);
    const session = space.sessions.get(newcomer.clientId);
    const former = session?.link as Connection | undefined;
    former?.end(REASON.takenOver, 'taken-over');
    const key = { tenant: space.tenant, clientId: newcomer.clientId };
    // A session that is not taken up ends here, and a will that waits for it does not wait longer (MQTT 5, 3.1.3.2.2).
    const endsHere = session === undefined || !isTakenUp(session, newcomer);
    const will = endsHere || this.wills.isDue(key, newcomer.askedAt) ? this.wills.take(key) : undefined;
    if (will !== undefined) this.#sendWill(will);
    return space.departures.of(newcomer.clientId);
  }

  /** Puts a connection in charge of its client's session, when `endFormer` has nothing more to wait for. */
  attach(
    newcomer: Newcomer,
    link: SessionLink,
    expiry: number,
  ): { readonly session: Session; readonly present: boolean } {
    const space = this.space(newcomer.tenant);
    const kept = space.sessions.get(newcomer.clientId);
    const usable = kept !== undefined && isTakenUp(kept, newcomer);
    if (kept !== undefined && !usable) space.dropSession(kept);
    const session = usable ? kept : space.makeSession(newcomer.clientId);
    const wasPersistent = session.isPersistent;
    session.expirySeconds = expiry;
    session.offlineSince = undefined;
    session.link = link;
    if (session.isPersistent) space.saveSession(session);
    else if (wasPersistent) this.store.dropSession(session.key);
    return { session, present: usable };
  }

  /** The connection is gone; its session goes with it unless it asked to stay. */
  detach(session: Session, link: SessionLink): void {
    if (session.link !== link) return;
    session.link = undefined;
    session.offlineSince = this.now();
    const space = this.space(session.key.tenant);
    space.departures.begin(session.key.clientId);
    if (session.isPersistent) space.saveSession(session);
  }

  /** DISCONNECT may shorten or lengthen a session's life. @returns false when it begins one (MQTT 5, 3.14.2.2.2). */
  changeExpiry(session: Session, seconds: number): boolean {
    if (!session.isPersistent) return seconds === 0;
    if (seconds === 0) this.store.dropSession(session.key);
    session.expirySeconds = Math.min(seconds, this.limits.sessionExpirySeconds);
    return true;
  }

  /** Everything that a connection sent has been answered: its will and its event follow. */
  finished(opened: Opened, end: DisconnectInfo): void {
    const { session, info } = opened;
    const space = this.space(info.tenant);
    if (this.#stopping) opened.will = undefined;
    const will = this.wills.end(opened, this.now());
    if (opened.will === undefined) space.keepWill(session, 0);
    if (!session.isPersistent) space.dropSession(session);
    if (will === undefined) space.departures.end(info.clientId);
    else this.#sendWill(will);
    this.#track(this.rules.disconnected(info, end));
  }

  /**
   * Retains and forwards a message of a client.
   * @param publisher its client id, for subscriptions that want no messages of their own.
   * @returns what became of it.
   */
  deliver(
    tenant: string,
    message: BrokerMessage,
    publisher: string | undefined,
    client: ClientInfo | undefined,
  ): Delivered | Promise<Delivered> {
    const space = this.space(tenant);
    if (!message.retain) return space.route(message, publisher);
    const retained = space.retain(message, publisher);
    if (retained !== 'changed') {
      const sessions = space.route(message, publisher);
      return retained === 'full' ? 'not-retained' : sessions;
    }
    return this.rules.retainedChanged(client, tenant, message).then(() => space.route(message, publisher));
  }

  /**
   * Retains and forwards a message of the host's own, which comes again after an error: so nobody has one that failed.
   * One that succeeded may come again, too, when its sender was not reached by the answer: its id tells.
   * @returns the sessions that it goes to.
   * @throws what `BrokerStore.flushed` throws.
   */
  async publish(tenant: string, message: BrokerMessage, id: string | undefined): Promise<number> {
    if (!this.store.isUsable) await this.store.flushed();
    const space = this.space(tenant);
    const send = () => this.#publishIn(space, tenant, message, id);
    return id === undefined ? send() : space.downlinks.once(id, send);
  }

  async #publishIn(
    space: TenantSpace,
    tenant: string,
    message: BrokerMessage,
    id: string | undefined,
  ): Promise<number> {
    if (message.retain && space.retain(message, undefined) === 'changed') {
      await this.rules.retainedChanged(undefined, tenant, message);
    }
    return space.routeStored(message, id);
  }

  /** Once a second: wills that are due, sessions and messages whose time is over, or whose store is back. */
  sweep(): void {
    const now = this.now();
    for (const will of this.wills.takeDue(now)) this.#sendWill(will);
    for (const space of this.#spaces.values()) {
      space.expire();
      space.goOn();
    }
  }

  protocolError(connection: Connection, what: string): void {
    const { info } = connection.opened ?? {};
    this.#log.warn('mqtt.protocol_error', {
      ...(info === undefined ? {} : { tenantId: info.tenant, clientId: info.clientId }),
      address: connection.address,
      reason: what.slice(0, 200),
    });
  }

  failed(connection: Connection, error: unknown): void {
    const { info } = connection.opened ?? {};
    this.#log.error('task.failed', { task: 'mqtt connection', clientId: info?.clientId, err: coerceError(error) });
  }

  /** No wills from now on: the devices have done nothing. */
  stopping(): void {
    this.#stopping = true;
  }

  /** Resolves when every event of an ended connection has been dealt with. */
  async idle(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending);
    for (const timer of this.#lingering) clearTimeout(timer);
  }

  spaceIfAny(tenant: string): TenantSpace | undefined {
    return this.#spaces.get(tenantKey(tenant));
  }

  async #publishWill(will: LostWill): Promise<void> {
    const { client, message } = will;
    const decision = await this.rules.publish(client, message, true);
    if (decision.kind === 'forward') await this.deliver(client.tenant, decision.message, client.clientId, client);
    this.wills.sent(will);
    await this.store.flushed();
  }

  /** Its client comes back after it: whoever reads it must not take it for the later news. */
  #sendWill(will: LostWill): void {
    const { tenant, clientId } = will.key;
    const space = this.space(tenant);
    const session = space.sessions.get(clientId);
    if (session !== undefined) space.keepWill(session, 0);
    const { departures } = space;
    departures.begin(clientId);
    this.#track(this.#publishWill(will).finally(() => departures.end(clientId)));
  }

  #track(work: Promise<void>): void {
    const running: Promise<void> = work
      .catch((error: unknown) => this.#log.error('task.failed', { task: 'mqtt event', err: coerceError(error) }))
      .finally(() => this.#ending.delete(running));
    this.#ending.add(running);
  }

  /** The first and then every thousandth: a flood must not become one of log lines. */
  #noteDropped({ key, dropped }: Session): void {
    if (dropped % 1_000 !== 1) return;
    this.#log.warn('mqtt.messages_dropped', { tenantId: key.tenant, clientId: key.clientId, dropped });
  }

  #noteFull(tenant: string, what: QuotaKind): void {
    const key = `${tenant} ${what}`;
    const refused = (this.#refusals.get(key) ?? 0) + 1;
    this.#refusals.set(key, refused);
    if (refused % 1_000 === 1) this.#log.warn('mqtt.quota_reached', { tenantId: tenant, what, refused });
  }

  /** @returns the last number of the store. */
  #restore(): number {
    const content = this.store.load();
    for (const stored of content.sessions) {
      const { tenant, clientId, expirySeconds, offlineSince, subscriptions, queued, received, flights } = stored;
      const space = this.space(tenant);
      const session = space.makeSession(clientId);
      session.expirySeconds = expirySeconds;
      session.offlineSince = offlineSince ?? this.now();
      for (const subscription of subscriptions) space.subscribe(session, subscription);
      for (const id of received) session.received.add(id);
      session.restore(queued, flights);
    }
    for (const { tenant, message, expiresAt } of content.retained) {
      this.space(tenant).restoreRetained(message, expiresAt);
    }
    for (const will of content.wills) {
      this.wills.restore(will, this.now());
      const space = this.space(will.tenant);
      const session = space.sessions.get(will.clientId);
      if (session !== undefined) space.keepWill(session, messageBytes(will.message));
    }
    for (const { tenant, id, ...answer } of content.downlinks) this.space(tenant).downlinks.restore(id, answer);
    return content.lastSeq;
  }
}
