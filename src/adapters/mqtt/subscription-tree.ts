import type { Qos } from '../../ports/broker.ts';
import type { StoredSubscription } from '../../ports/broker-store.ts';

/** How one subscriber gets a message: once, whatever number of its subscriptions takes it. */
export interface Match<S> {
  readonly subscriber: S;
  qos: Qos;
  retainAsPublished: boolean;
  identifiers: number[];
  /** Every subscription that took it wants no messages of its own client. */
  noLocal: boolean;
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
    const { qos, retainAsPublished, noLocal, identifier } = subscription;
    const match = found.get(subscriber);
    const identifiers = identifier === undefined ? [] : [identifier];
    if (match === undefined) {
      found.set(subscriber, { subscriber, qos, retainAsPublished, noLocal, identifiers });
    } else {
      if (qos > match.qos) match.qos = qos;
      match.retainAsPublished ||= retainAsPublished;
      match.noLocal &&= noLocal;
      match.identifiers.push(...identifiers);
    }
  }
}
