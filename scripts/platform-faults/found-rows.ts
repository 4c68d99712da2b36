import type { FaultRow } from './fault-row.ts';

/** Faults found in the platform's published source. */
export const FOUND_ROWS: readonly FaultRow[] = [
  {
    id: 'B1',
    fault: ['TLS is off without a word when RabbitMQ has several hosts.', 'RabbitMQ 配置多个地址时 TLS 被静默关闭。'],
    here: ['Every host is reached by TLS or not at all.', '每个地址都用 TLS，否则不连接。'],
    shown: [
      ['test/adapters/amqp/tls.test.ts', 'the host … of several is reached by TLS'],
      ['test/adapters/amqp/tls.test.ts', 'a host without TLS hears no word in clear text, and the next one is used'],
    ],
  },
  {
    id: 'B2',
    fault: ['A consumer whose channel died is never made again.', '通道失效的消费者永远不会重建。'],
    here: ['It is attached again, also after its queue was deleted.', '会重新挂接，队列被删除后也一样。'],
    shown: [
      ['test/adapters/amqp/consuming.test.ts', 'a queue deleted under its consumer is made again and consumed'],
      [
        'test/adapters/amqp/broker-trouble.test.ts',
        'a delivery held longer than the broker allows comes again, and nothing else is lost',
      ],
    ],
  },
  {
    id: 'B3',
    fault: [
      'An outage of Redis leaves messages neither acknowledged nor rejected.',
      'Redis 故障时消息既不确认也不拒绝。',
    ],
    here: ['Redis holds no state of messages; they go on without it.', 'Redis 不保存消息状态，没有它也能继续。'],
    shown: [
      [
        'test/engines/failure-redis.test.ts',
        'failure row 34: Redis is away at the start, killed meanwhile, and back; no message is lost and every host sees a new script',
      ],
    ],
  },
  {
    id: 'B4',
    fault: ['Bindings that cannot be read tear healthy consumers down.', '读取绑定失败会拆掉正常的消费者。'],
    here: ['What was known last stays.', '保留上次的绑定。'],
    shown: [
      ['test/app/failure-store.test.ts', 'failure row 24: the bindings of a tenant cannot be read; its consumers stay'],
    ],
  },
  {
    id: 'B5',
    fault: [
      'Attempts are counted per EventId without the queue, by reading and writing.',
      '重试次数按 EventId 计而不含队列，且读写非原子。',
    ],
    here: [
      'The attempt travels with the message; each queue has its own events.',
      '次数随消息携带；每个队列的事件各自独立。',
    ],
    shown: [
      ['test/app/delivery-rules.test.ts', 'F8: the same EventId in two queues is two events'],
      [
        'test/app/failure-crash.test.ts',
        'failure row …: the host dies …; the failed message keeps its budget and ends dead once',
      ],
    ],
  },
  {
    id: 'B6',
    fault: [
      'An object without `Code` fails in queues and passes in MQTT; a `Code` that is no number passes in both.',
      '没有 `Code` 的对象在队列中失败、在 MQTT 中放行；非数字的 `Code` 两边都放行。',
    ],
    here: [
      'Queues want `Code: 1`. The gate of MQTT lets an object without `Code` pass, as documented, and blocks one that is no number.',
      '队列要求 `Code: 1`；MQTT 按文档放行没有 `Code` 的对象，但阻止非数字的 `Code`。',
    ],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'only an explicit Code 1 acknowledges; every other ending has a reason for its author (report 14)',
      ],
      ['test/core/mqtt-gate.test.ts', 'results that block it, with the words of the script'],
    ],
  },
  {
    id: 'B7',
    fault: [
      'A takeover of a session that stays leaves the device online for ever.',
      '接管持久会话后设备永远显示在线。',
    ],
    here: ['Only the newest connection of a client changes its row.', '只有最新的连接会修改设备行。'],
    shown: [['test/app/mqtt.test.ts', 'a takeover with clean … leaves the device online until the winner goes']],
  },
  {
    id: 'B8',
    fault: ['UNSUBSCRIBE is not put into the tenant’s space.', '取消订阅没有做租户规范化。'],
    here: ['It follows the rule of SUBSCRIBE.', '与订阅使用同一规则。'],
    shown: [['test/adapters/mqtt/broker.test.ts', 'after UNSUBSCRIBE with the same words nothing comes']],
  },
  {
    id: 'B9',
    fault: ['A refused PUBLISH is acknowledged as a success.', '被拒绝的发布仍按成功确认。'],
    here: [
      'MQTT 5 hears 0x87, 0x90, 0x99 or 0x80 with the reason; older versions have no word for it.',
      'MQTT 5 收到 0x87、0x90、0x99 或 0x80 及原因；旧版本协议无法表达。',
    ],
    shown: [
      ['test/app/mqtt-faults.test.ts', 'a publisher of MQTT 5 is told that its topic was refused'],
      [
        'test/app/mqtt.test.ts',
        'the gate: allowed is committed and forwarded, blocked and failed are told and leave nothing',
      ],
    ],
  },
  {
    id: 'B10',
    fault: ['A message to devices can be vetoed and yet reports success.', '下行消息可能被拒绝却报告成功。'],
    here: ['It passes no gate.', '下行消息不经过拒绝环节。'],
    shown: [
      [
        'test/app/mqtt-faults.test.ts',
        'what the host sends to devices passes no gate: what is said to be sent arrives',
      ],
    ],
  },
  {
    id: 'B11',
    fault: ['CleanSession = false keeps nothing over a disconnect.', 'CleanSession=false 断线后什么都不保留。'],
    here: ['The session waits, also over a restart.', '会话保留，重启后也在。'],
    shown: [
      [
        'test/adapters/mqtt/broker.test.ts',
        'a session that stays gets what it missed, also after a restart, once and in order',
      ],
    ],
  },
  {
    id: 'B12',
    fault: ['A device that cannot be looked up is inserted again.', '查询设备出错时会重复插入。'],
    here: ['A unique key keeps one row for each device.', '唯一键保证每个设备一行。'],
    shown: [
      [
        'test/app/mqtt-faults.test.ts',
        'a device whose row could not be read or written has one row, and is online after its next connection',
      ],
    ],
  },
  {
    id: 'B13',
    fault: ['A blank `MqttTlsPort` is port 0.', '空的 `MqttTlsPort` 变成端口 0。'],
    here: ['It is 8883.', '按 8883 处理。'],
    shown: [['test/host/mqtt-listeners.test.ts', "MqttTlsPort … means 8883, never a port of the system's choice"]],
  },
  {
    id: 'B14',
    fault: ['Nothing calls the way to stop.', '停止流程从未被调用。'],
    here: [
      'SIGTERM drains queues, ends the broker and exits with 0.',
      'SIGTERM 会排空队列、停止 MQTT 服务并以 0 退出。',
    ],
    shown: [
      [
        'test/app/failure-lifecycle.test.ts',
        'failure row 25: SIGTERM lets the run end, gives back what has not begun, and exits with 0',
      ],
      ['test/adapters/mqtt/broker.test.ts', 'a stopped broker has ended its connections and told the reason'],
    ],
  },
  {
    id: 'B15',
    fault: ['Names and ids may be longer than AMQP can carry.', '名称和标识可能超过 AMQP 的长度。'],
    here: ['255 bytes are checked before anything is sent.', '发送前检查 255 字节上限。'],
    shown: [
      ['test/core/queue-name.test.ts', 'queue … of … is refused with …'],
      ['test/core/event-id.test.ts', 'EventId … is refused'],
    ],
  },
  {
    id: 'B16',
    fault: ['A generated EventId is not returned.', '生成的 EventId 不返回。'],
    here: ['`Data.EventId`, also on a failure, to repeat it.', '`Data.EventId`，失败时也返回以便重试。'],
    shown: [
      ['test/v8-api/mq.test.ts', 'answers what sending answers, and names queue and EventId for the story'],
      [
        'test/app/failure-queue.test.ts',
        'failure row 8: the queue is away while a script sends outside a transaction; Code 0 with the EventId to repeat',
      ],
    ],
  },
  {
    id: 'B17',
    fault: ['Settings that the code reads have no column.', '代码读取的设置在表中没有列。'],
    here: [
      'Our schema has them; a column that a foreign table lacks is named.',
      '本主机的表都有；外部表缺列时会指出列名。',
    ],
    shown: [
      [
        'test/api/tenant-settings.test.ts',
        'of the main tenant make it a row where it has none; a column that is not there is named',
      ],
    ],
  },
  {
    id: 'B18',
    fault: ['The table of consumers is open to whoever edits tables.', '消费者表没有管理员保护。'],
    here: ['Scripts read `diy_queue_receive` and cannot write it.', '脚本只能读 `diy_queue_receive`，不能写。'],
    shown: [['test/core/protected-tables.test.ts', '… is … for scripts']],
  },
  {
    id: 'B19',
    fault: ['A script may forge the user of a message.', '脚本可以伪造消息的用户。'],
    here: ['Identity and trace come from the host.', '身份和追踪信息由主机给出。'],
    shown: [['test/v8-api/mq.test.ts', 'passes nothing of a forged identity or trace on']],
  },
  {
    id: 'B20',
    fault: [
      'Secrets are compared in a time that tells their length; contradictions are refused without a log.',
      '凭据比较的耗时泄露长度；前缀矛盾被拒绝却没有日志。',
    ],
    here: [
      'All characters are compared, whatever differs; every refusal has a line with its reason.',
      '无论差异在哪都比较全部字符；每次拒绝都有带原因的日志。',
    ],
    shown: [
      ['test/core/mqtt-identity.test.ts', 'secrets are equal only when they are'],
      [
        'test/app/mqtt-faults.test.ts',
        'names of a tenant that contradict each other are refused with a line in the log',
      ],
    ],
  },
];
