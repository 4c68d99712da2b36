import { bilingual } from './bilingual.ts';
import type { Binding } from './binding.ts';
import type { ErrorRecord } from './errors.ts';

/** A queue server and, where it exists, a queue of it. */
export interface QueueInspection {
  /** Version of RabbitMQ, such as `3.10.8`. */
  readonly version: string;
  /** Undefined while there is no such queue; the host makes it as it needs it. */
  readonly queue?: {
    readonly durable: boolean;
    /** What it was declared with. What a policy adds is not to be seen over AMQP. */
    readonly arguments: Readonly<Record<string, string | number | boolean>>;
  };
}

/** One thing to know about a binding's queue. A refusal keeps the binding from being attached. */
export interface Finding {
  readonly kind: 'refusal' | 'warning';
  readonly error: ErrorRecord;
}

/** From this version on a quorum queue without the argument gives a message up at its 20th delivery. */
const LIMITED_BY_DEFAULT = 4;
const DEFAULT_DELIVERY_LIMIT = 20;
/** Older servers have not been tried and get no fixes. */
const OLDEST_TRIED = [3, 10] as const;

/** What would lose or repeat messages of the binding on this queue, or surprise its operator (delivery.md F9, F17). */
export function preflight(binding: Binding, inspection: QueueInspection): readonly Finding[] {
  const found = inspection.queue;
  return [
    ...versionFindings(binding, inspection.version),
    ...(found === undefined ? [] : [...lossFindings(binding, inspection, found), ...cutFindings(binding, found)]),
  ];
}

/**
 * The longest run of a binding against the time that the queue server gives a delivery before it takes it back, while
 * the run goes on (mq-mqtt.md 4.6). @param wallMs, consumerTimeoutMs milliseconds.
 */
export function deadlineFindings(binding: Binding, wallMs: number, consumerTimeoutMs: number): readonly Finding[] {
  if (wallMs * 2 < consumerTimeoutMs) return [];
  const [run, limit] = [wallMs / 1000, consumerTimeoutMs / 1000];
  if (wallMs >= consumerTimeoutMs) {
    return [
      refusal(
        binding,
        `运行最长 ${run} 秒，不短于 RabbitMQ 的 consumer_timeout（queue.consumerTimeoutSeconds，${limit} 秒）：减小 TimeoutSeconds，或两边一起提高`,
        `runs may take ${run} s, which is not below RabbitMQ's consumer_timeout (queue.consumerTimeoutSeconds, ${limit} s): lower TimeoutSeconds or raise both`,
      ),
    ];
  }
  return [
    warning(
      binding,
      `运行最长 ${run} 秒，超过 RabbitMQ consumer_timeout（${limit} 秒）的一半：等待与重试也计入其中，应减小 TimeoutSeconds`,
      `runs may take ${run} s, over half of RabbitMQ's consumer_timeout (${limit} s), in which waiting and repeating count, too: lower TimeoutSeconds`,
    ),
  ];
}

type FoundQueue = NonNullable<QueueInspection['queue']>;

function versionFindings(binding: Binding, version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [triedMajor, triedMinor] = OLDEST_TRIED;
  if (major > triedMajor || (major === triedMajor && minor >= triedMinor)) return [];
  return [
    warning(
      binding,
      `RabbitMQ ${version} 早于试过的最旧版本 ${triedMajor}.${triedMinor}，应升级`,
      `RabbitMQ ${version} is older than ${triedMajor}.${triedMinor}, the oldest that was tried: upgrade it`,
    ),
  ];
}

/** Queues on which an accepted message could vanish. */
function lossFindings(binding: Binding, { version }: QueueInspection, queue: FoundQueue): readonly Finding[] {
  const findings: Finding[] = [];
  const type = queue.arguments['x-queue-type'] ?? 'classic';
  if (!queue.durable) {
    const [zh, en] = [
      '不是持久队列，RabbitMQ 重启即丢失消息',
      'is not durable, so a restart of RabbitMQ loses its messages',
    ];
    findings.push(refusal(binding, `${zh}：${REMAKE.zh}`, `${en}: ${REMAKE.en}`));
  }
  if (type !== 'classic' && type !== 'quorum') {
    findings.push(
      refusal(
        binding,
        `类型为 ${type}，只支持 classic 和 quorum`,
        `is of type ${type}: only classic and quorum are supported`,
      ),
    );
  }
  const limit = deliveryLimit(queue, Number.parseInt(version, 10));
  if (type === 'quorum' && limit !== undefined && queue.arguments['x-dead-letter-exchange'] === undefined) {
    findings.push(
      refusal(
        binding,
        `仲裁队列在第 ${limit} 次投递后删除消息，且没有 x-dead-letter-exchange：${REMAKE.zh}`,
        `is a quorum queue that deletes a message after ${limit} deliveries and has no x-dead-letter-exchange: ${REMAKE.en}`,
      ),
    );
  }
  return findings;
}

const REMAKE = {
  zh: '清空后删除它，由主机重建',
  en: 'delete it when it is empty, and the host makes it anew',
};

/** Undefined: none. */
function deliveryLimit({ arguments: args }: FoundQueue, major: number): number | undefined {
  const set = args['x-delivery-limit'];
  if (typeof set === 'number') return set < 0 ? undefined : set;
  return major >= LIMITED_BY_DEFAULT ? DEFAULT_DELIVERY_LIMIT : undefined;
}

/** Arguments by which a queue drops messages, or itself, as its maker wanted it. */
function cutFindings(binding: Binding, { arguments: args }: FoundQueue): readonly Finding[] {
  const findings: Finding[] = [];
  const ttl = args['x-message-ttl'];
  if (ttl !== undefined) {
    findings.push(
      warning(
        binding,
        `x-message-ttl 使消息在 ${ttl} 毫秒后过期，不会运行`,
        `x-message-ttl lets messages expire unrun after ${ttl} ms`,
      ),
    );
  }
  const isBounded = args['x-max-length'] !== undefined || args['x-max-length-bytes'] !== undefined;
  if (isBounded && !String(args['x-overflow'] ?? '').startsWith('reject-publish')) {
    findings.push(
      warning(
        binding,
        '达到 x-max-length 后丢弃最早的消息，应设置 x-overflow 为 reject-publish',
        'drops its oldest messages at x-max-length; x-overflow reject-publish would refuse new ones instead',
      ),
    );
  }
  if (args['x-expires'] !== undefined) {
    findings.push(
      warning(
        binding,
        `没有消费者 ${args['x-expires']} 毫秒后，x-expires 会删除队列和其中的消息`,
        `x-expires deletes the queue with its messages after ${args['x-expires']} ms without a consumer`,
      ),
    );
  }
  if (binding.orderKey !== undefined && args['x-max-priority'] !== undefined) {
    findings.push(
      warning(
        binding,
        'x-max-priority 会改变消息顺序，与 OrderKey 冲突',
        'x-max-priority changes the order that OrderKey keeps',
      ),
    );
  }
  return findings;
}

function refusal(binding: Binding, zh: string, en: string): Finding {
  return { kind: 'refusal', error: recordOf('QUEUE_UNFIT', binding, zh, en) };
}

function warning(binding: Binding, zh: string, en: string): Finding {
  return { kind: 'warning', error: recordOf('QUEUE_DOUBTFUL', binding, zh, en) };
}

function recordOf(code: 'QUEUE_UNFIT' | 'QUEUE_DOUBTFUL', binding: Binding, zh: string, en: string): ErrorRecord {
  return { code, params: { queue: binding.physicalQueue, rule: bilingual(zh, en) } };
}
