import type { Qos } from '../../ports/broker.ts';
import type { StoredSubscription } from '../../ports/broker-store.ts';

/** How one subscriber gets a message: once, whatever number of its subscriptions takes it [MQTT-3.3.4-2]. */
export interface Delivery {
  qos: Qos;
  retainAsPublished: boolean;
  identifiers: number[];
}

export interface Match<S> {
  readonly subscriber: S;
  readonly delivery: Delivery;
  /** The same by the subscriptions that take messages of the subscriber itself; undefined when none does. */
  toPublisher: Delivery | undefined;
}

interface Node<S> {
  readonly children: Map<string, Node<S>>;
  readonly subscriptions: Map<S, StoredSubscription>;
}

/** Topics whose subscribers are remembered until a subscription changes. */
const REMEMBERED_TOPICS = 1_000;

/** The subscriptions of one tenant, by the levels of their filters. */
export class SubscriptionTree<S> {
  readonly #root: Node<S> = makeNode();
  readonly #remembered = new Map<string, readonly Match<S>[]>();

  add(subscriber: S, subscription: StoredSubscription): void {
    let node = this.#root;
    for (const level of subscription.filter.split('/')) {
      let child = node.children.get(level);
      if (child === undefined) {
        child = makeNode();
        node.children.set(level, child);
      }
      node = child;
    }
    node.subscriptions.set(subscriber, subscription);
    this.#remembered.clear();
  }

  remove(subscriber: S, filter: string): void {
    const path: [Node<S>, string][] = [];
    let node = this.#root;
    for (const level of filter.split('/')) {
      const child = node.children.get(level);
      if (child === undefined) return;
      path.push([node, level]);
      node = child;
    }
    node.subscriptions.delete(subscriber);
    for (const [parent, level] of path.reverse()) {
      const child = parent.children.get(level);
      if (child === undefined || child.subscriptions.size > 0 || child.children.size > 0) break;
      parent.children.delete(level);
    }
    this.#remembered.clear();
  }

  /** Subscribers of a topic, each once. The answer must not be changed. */
  match(topic: string): readonly Match<S>[] {
    const known = this.#remembered.get(topic);
    if (known !== undefined) return known;
    const found = new Map<S, Match<S>>();
    collect(this.#root, topic.split('/'), 0, found);
    const matches = [...found.values()];
    if (this.#remembered.size >= REMEMBERED_TOPICS) this.#remembered.clear();
    this.#remembered.set(topic, matches);
    return matches;
  }
}

function makeNode<S>(): Node<S> {
  return { children: new Map(), subscriptions: new Map() };
}

/** Depth is bounded by the levels of a topic (core/mqtt-topic.ts). */
function collect<S>(node: Node<S>, levels: readonly string[], at: number, found: Map<S, Match<S>>): void {
  // `a/#` takes `a`, too.
  const rest = node.children.get('#');
  if (rest !== undefined) addAll(rest, found);
  const level = levels[at];
  if (level === undefined) {
    addAll(node, found);
    return;
  }
  const exact = node.children.get(level);
  if (exact !== undefined) collect(exact, levels, at + 1, found);
  const any = node.children.get('+');
  if (any !== undefined) collect(any, levels, at + 1, found);
}

function addAll<S>(node: Node<S>, found: Map<S, Match<S>>): void {
  for (const [subscriber, subscription] of node.subscriptions) {
    const { noLocal } = subscription;
    const match = found.get(subscriber);
    if (match === undefined) {
      const toPublisher = noLocal ? undefined : deliveryOf(subscription);
      found.set(subscriber, { subscriber, delivery: deliveryOf(subscription), toPublisher });
    } else {
      merge(match.delivery, subscription);
      if (noLocal) continue;
      if (match.toPublisher === undefined) match.toPublisher = deliveryOf(subscription);
      else merge(match.toPublisher, subscription);
    }
  }
}

function deliveryOf({ qos, retainAsPublished, identifier }: StoredSubscription): Delivery {
  return { qos, retainAsPublished, identifiers: identifier === undefined ? [] : [identifier] };
}

function merge(delivery: Delivery, { qos, retainAsPublished, identifier }: StoredSubscription): void {
  if (qos > delivery.qos) delivery.qos = qos;
  delivery.retainAsPublished ||= retainAsPublished;
  if (identifier !== undefined) delivery.identifiers.push(identifier);
}
