import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../core/errors.ts';
import { foreignFilters, foreignTopics, WIDE_FILTERS } from '../core/mqtt-isolation.ts';
import type { MqttLink, MqttLinkMessage, MqttLinkOptions } from '../ports/mqtt-link.ts';

/** A device account of one tenant. */
export interface DeviceAccount {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/** One line of the matrix. `isolated` false is a breach. */
export interface IsolationRow {
  readonly way:
    | 'connect'
    | 'publish'
    | 'subscribe'
    | 'wildcard'
    | 'will'
    | 'retained'
    | 'response topic'
    | 'unsubscribe';
  /** Who tries, and what. */
  readonly what: string;
  readonly isolated: boolean;
}

type Open = (options: MqttLinkOptions) => Promise<MqttLink | undefined>;

/** How long something that must arrive is waited for. Milliseconds. */
const ARRIVAL_MS = 10_000;

/** A device of one tenant with what it has received. */
class Device {
  readonly account: DeviceAccount;
  readonly link: MqttLink;
  readonly received: MqttLinkMessage[];

  constructor(account: DeviceAccount, link: MqttLink, received: MqttLinkMessage[]) {
    this.account = account;
    this.link = link;
    this.received = received;
  }

  async saw(text: string): Promise<boolean> {
    const deadline = Date.now() + ARRIVAL_MS;
    while (!this.hasSeen(text)) {
      if (Date.now() > deadline) return false;
      await sleep(20);
    }
    return true;
  }

  hasSeen(text: string): boolean {
    return this.received.some(({ payload }) => new TextDecoder().decode(payload) === text);
  }
}

/**
 * Tries every way by which a device of one tenant could reach another tenant, in both directions, at a running broker.
 * Its topics and client ids are its own and leave nothing behind: retained messages are removed, sessions are clean.
 */
export class IsolationCheck {
  readonly #url: string;
  readonly #open: Open;
  readonly #mark = randomBytes(6).toString('hex');
  readonly #topic = `v8host-selftest/${this.#mark}`;
  #messages = 0;

  constructor(url: string, open: Open) {
    this.#url = url;
    this.#open = open;
  }

  /** @throws AppError HOST_UNREACHABLE, LOGIN_FAILED when one of the accounts is not let in. */
  async *run(first: DeviceAccount, second: DeviceAccount): AsyncGenerator<IsolationRow> {
    let a = await this.#connect(first, `selftest-${this.#mark}`);
    const b = await this.#connect(second, `selftest-${this.#mark}`);
    try {
      const isolated = await this.#isStillThere(a);
      yield { way: 'connect', what: 'same client id in both tenants', isolated };
      // The rest of the matrix is worth knowing, too.
      if (!isolated) a = await this.#connect(first, `selftest-first-${this.#mark}`);
      for (const device of [a, b]) for (const filter of WIDE_FILTERS) await device.link.subscribe(filter, 1);
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        yield* this.#subscriptions(from, to);
        yield* this.#publishes(from, to);
        yield await this.#ownMessage(from, to);
        yield await this.#retained(from, to);
        yield* this.#wills(from, to);
        yield await this.#unsubscribe(from, to);
      }
    } finally {
      await Promise.all([a.link.end(), b.link.end()]);
    }
  }

  async *#subscriptions(from: Device, to: Device): AsyncGenerator<IsolationRow> {
    for (const filter of foreignFilters(to.account.tenant)) {
      const granted = await from.link.subscribe(filter, 1);
      yield this.#row('subscribe', from, filter, !granted);
    }
  }

  /** Refused, or at least never seen by the other one. */
  async *#publishes(from: Device, to: Device): AsyncGenerator<IsolationRow> {
    for (const topic of foreignTopics(to.account.tenant)) {
      const text = this.#text();
      const taken = await from.link.publish(message(topic, text));
      await this.#fence(to);
      yield this.#row('publish', from, topic, !taken && !to.hasSeen(text));
      const answer = { ...message(`${this.#topic}/ask`, this.#text()), responseTopic: topic };
      const asked = await from.link.publish(answer);
      yield this.#row('response topic', from, topic, !asked);
    }
  }

  /** What it publishes to its own topics its own wildcards get, and the other one's do not. */
  async #ownMessage(from: Device, to: Device): Promise<IsolationRow> {
    const text = this.#text();
    await from.link.publish(message(`${this.#topic}/own`, text));
    const arrived = await from.saw(text);
    await this.#fence(to);
    return this.#row(
      'wildcard',
      to,
      `${WIDE_FILTERS.join(' ')} (${from.account.tenant})`,
      arrived && !to.hasSeen(text),
    );
  }

  async #retained(from: Device, to: Device): Promise<IsolationRow> {
    const topic = `${this.#topic}/kept-${from.account.tenant}`;
    const text = this.#text();
    await from.link.publish({ ...message(topic, text), retain: true });
    const late = await this.#connect(to.account, `selftest-late-${this.#mark}`);
    try {
      await late.link.subscribe('#', 1);
      await this.#fence(late);
      return this.#row('retained', late, `# (${from.account.tenant})`, !late.hasSeen(text) && !to.hasSeen(text));
    } finally {
      await late.link.end();
      // An empty one takes it out of the store.
      await from.link.publish({ ...message(topic, ''), retain: true });
    }
  }

  async *#wills(from: Device, to: Device): AsyncGenerator<IsolationRow> {
    for (const topic of foreignTopics(to.account.tenant)) {
      const link = await this.#open({
        ...this.#login(from.account),
        clientId: `selftest-will-${this.#mark}`,
        will: message(topic, this.#text()),
      });
      yield this.#row('will', from, topic, link === undefined);
      await link?.end();
    }
    const text = this.#text();
    const will = message(`${this.#topic}/will`, text);
    const dying = await this.#open({ ...this.#login(from.account), clientId: `selftest-will-${this.#mark}`, will });
    dying?.breakOff();
    const arrived = await from.saw(text);
    await this.#fence(to);
    yield this.#row('will', from, will.topic, arrived && !to.hasSeen(text));
  }

  /** Ends no subscription of the other one, whose messages go on. */
  async #unsubscribe(from: Device, to: Device): Promise<IsolationRow> {
    const filter = `tenant/${to.account.tenant}/#`;
    await from.link.unsubscribe(filter);
    const text = this.#text();
    await to.link.publish(message(`${this.#topic}/after`, text));
    return this.#row('unsubscribe', from, filter, await to.saw(text));
  }

  /** A connection that was taken over answers no more. */
  async #isStillThere({ link }: Device): Promise<boolean> {
    return link.subscribe(`${this.#topic}/there`, 1).catch(() => false);
  }

  /** When its own message is back, everything that was on its way before has arrived. */
  async #fence(device: Device): Promise<void> {
    const text = this.#text();
    await device.link.publish(message(`${this.#topic}/fence`, text));
    await device.saw(text);
  }

  async #connect(account: DeviceAccount, clientId: string): Promise<Device> {
    const received: MqttLinkMessage[] = [];
    const onMessage = (arrived: MqttLinkMessage) => void received.push(arrived);
    const link = await this.#open({ ...this.#login(account), clientId, onMessage });
    if (link === undefined) throw new AppError('LOGIN_FAILED', {});
    return new Device(account, link, received);
  }

  #login({ user, password }: DeviceAccount) {
    return { url: this.#url, user, password };
  }

  #row(way: IsolationRow['way'], by: Device, what: string, isolated: boolean): IsolationRow {
    return { way, what: `${by.account.tenant}: ${what}`, isolated };
  }

  #text(): string {
    this.#messages += 1;
    return `${this.#mark}-${this.#messages}`;
  }
}

function message(topic: string, text: string): MqttLinkMessage {
  return { topic, payload: new TextEncoder().encode(text), qos: 1, retain: false };
}
