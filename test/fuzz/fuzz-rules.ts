import { setImmediate as nextTurn } from 'node:timers/promises';
import { toTopicName } from '../../src/core/mqtt-topic.ts';
import type { BrokerRules } from '../../src/ports/broker.ts';
import { OpenRules } from '../support/mqtt-broker.ts';

/** Two tenants with an account each; topics as the host has them; some gates take a turn. Nothing is remembered. */
export class FuzzRules extends OpenRules {
  #messages = 0;

  override async connect(request: Parameters<BrokerRules['connect']>[0]): ReturnType<BrokerRules['connect']> {
    const { userName, password } = request;
    const isAccount = userName === 'ta' || userName === 'tb';
    if (!isAccount || Buffer.from(password ?? []).toString() !== `secret-of-${userName}`) {
      return { ok: false, reason: 'bad-credentials' };
    }
    return super.connect(request);
  }

  override async connected(): Promise<boolean> {
    return true;
  }

  override publish(...[client, message]: Parameters<BrokerRules['publish']>): ReturnType<BrokerRules['publish']> {
    const isOtherTenant = (name: string) => ['ta', 'tb'].includes(name) && name !== client.tenant;
    const topic = toTopicName(message.topic, { tenant: client.tenant, isOtherTenant });
    if (!topic.ok) return { kind: 'refuse', reason: 'topic', text: 'no such topic' };
    const decision = { kind: 'forward', message: { ...message, topic: topic.value } } as const;
    return ++this.#messages % 8 === 0 ? nextTurn().then(() => decision) : decision;
  }

  override async retainedChanged(): Promise<void> {}

  override async disconnected(): Promise<void> {}
}
