import type { FaultRow } from './fault-row.ts';

/** Gaps that the platform's own documents admit. */
export const ADMITTED_ROWS: readonly FaultRow[] = [
  {
    id: 'A1',
    fault: ['A failed message is requeued at once, without a pause.', '失败的消息立即重新入队，没有退避。'],
    here: [
      'Waits grow with jitter to a cap, per binding: `@backoff`.',
      '等待时间带抖动递增到上限，每个绑定可设：`@backoff`。',
    ],
    shown: [
      [
        'test/app/retry-decisions.test.ts',
        'the waits between attempts grow to their cap and stop with Count; each attempt waits at least its time',
      ],
    ],
  },
  {
    id: 'A2',
    fault: ['There are no dead letters; exhausted messages are deleted.', '没有死信；重试用尽的消息被删除。'],
    here: [
      'Dead letters are kept with the reason, listed, edited, tried, replayed and purged.',
      '死信连同原因保留，可列出、编辑、试运行、重放和清除。',
    ],
    shown: [
      [
        'test/app/retry-decisions.test.ts',
        'an always failing message runs as often as FailToReject and Count say, then it is a dead letter',
      ],
      [
        'test/app/dead-letters.test.ts',
        'an edited dead letter runs once under its EventId, and its story tells of the edit',
      ],
    ],
  },
  {
    id: 'A3',
    fault: ['A result of null, or that is no object, acknowledges.', '返回 null 或非对象时也会确认。'],
    here: [
      'Only `Code: 1` acknowledges; `@legacyAck on` reads results as the platform did.',
      '只有 `Code: 1` 确认；`@legacyAck on` 按平台规则。',
    ],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'only an explicit Code 1 acknowledges; every other ending has a reason for its author (report 14)',
      ],
    ],
  },
  {
    id: 'A4',
    fault: ['Changed credentials, hosts or TLS need a restart.', '修改账号、地址或 TLS 需要重启。'],
    here: ['Connections move to the new settings while messages run.', '运行中连接自动切换到新设置。'],
    shown: [
      [
        'test/adapters/amqp/refused-connection.test.ts',
        'changed settings move the tenant to the new place, its consumers too; unchanged ones leave it alone',
      ],
      ['test/engines/tenant-account.test.ts', 'a password that changes under way loses nothing and doubles nothing'],
    ],
  },
  {
    id: 'A5',
    fault: ['`MQType` is asked for and ignored.', '`MQType` 要求填写却不起作用。'],
    here: ['It may be blank; the hosts of the row say it.', '可留空；由地址列表决定。'],
    shown: [
      ['test/core/mq-settings.test.ts', 'MQType decides nothing: the hosts of the row are all used, whatever it says'],
    ],
  },
  {
    id: 'A6',
    fault: [
      'The commit at the broker is taken for done; a message that comes twice has two effects.',
      '把提交到队列当作完成；重复到达的消息产生两次效果。',
    ],
    here: [
      'An inbox row per tenant, queue and EventId joins the script’s transaction.',
      '每个租户、队列、EventId 一行收件记录，与脚本同一事务。',
    ],
    shown: [
      [
        'test/app/delivery-rules.test.ts',
        'F10: fifty copies of one event at once have one effect and one onward message, and hold nobody up',
      ],
      [
        'test/engines/copies.test.ts',
        'failure row 27: 50 copies of an event at once over two hosts; one effect, one onward message, also when a host is killed meanwhile',
      ],
    ],
  },
  {
    id: 'A7',
    fault: ['Sending cannot join the transaction of the database.', '发送消息无法加入数据库事务。'],
    here: [
      'It does: an outbox row, sent after the commit and repeated until confirmed.',
      '可以：写入发件记录，提交后发送，直到确认。',
    ],
    shown: [
      [
        'test/app/failure-crash.test.ts',
        'failure row 5: the host dies between commit and dispatch; the next start sends the onward message once',
      ],
      [
        'test/app/delivery-rules.test.ts',
        'F14: what a call sends while its platform transaction is open is sent by its commit only',
      ],
    ],
  },
  {
    id: 'A8',
    fault: [
      'Durable queues are no high availability, and a queue with other arguments fails every send.',
      '持久队列不等于高可用；参数不同的队列使每次发送失败。',
    ],
    here: [
      'Quorum queues by `@queueType`; a queue that exists is used as it is.',
      '`@queueType` 支持仲裁队列；已有队列按原样使用。',
    ],
    shown: [
      [
        'test/adapters/amqp/consuming.test.ts',
        'a type that the binding wants is made, and one with further arguments of its maker is taken',
      ],
      ['test/adapters/amqp/publishing.test.ts', 'a queue that exists with other arguments is used as it is'],
    ],
  },
  {
    id: 'A9',
    fault: ['Each node has an MQTT broker of its own and shares nothing.', '每个节点各有一个互不共享的 MQTT 服务。'],
    here: [
      'Of several hosts one runs the broker; another one takes over and says so. Sessions are not shared.',
      '多台主机只有一台运行，其余待命并说明，故障时接管。会话不共享。',
    ],
    shown: [
      [
        'test/engines/mqtt-standby.test.ts',
        'the second host has no broker and says so, and takes over when the first is gone',
      ],
    ],
  },
  {
    id: 'A10',
    fault: ['Who is connected is known on one node only.', '在线设备只有本节点知道。'],
    here: [
      'There is one broker for all hosts, and `mci_mqtt_client` is in the database.',
      '所有主机只有一个 MQTT 服务，`mci_mqtt_client` 在数据库中。',
    ],
    shown: [
      [
        'test/engines/operator-tools.test.ts',
        "a device's message leads to the queue once, and its client is a row of MariaDB",
      ],
    ],
  },
  {
    id: 'A11',
    fault: ['After a crash devices stay online for ever.', '崩溃后设备一直显示在线。'],
    here: ['Nobody is online when a broker starts.', '服务启动时全部置为离线。'],
    shown: [
      [
        'test/app/mqtt.test.ts',
        'a device is online while it is connected; stopping and a dead host leave nobody online',
      ],
    ],
  },
  {
    id: 'A12',
    fault: ['There is no MQTT over WebSocket.', '不支持 WebSocket 上的 MQTT。'],
    here: ['`mqtt.wsPort`, `mqtt.tls.wssPort`, with the same rules.', '`mqtt.wsPort`、`mqtt.tls.wssPort`，规则相同。'],
    shown: [['test/adapters/mqtt/broker.test.ts', 'MQTT over WebSocket']],
  },
  {
    id: 'A13',
    fault: [
      'TLS cannot be the only way in, and a bad certificate path leaves clear text.',
      '无法只用 TLS；证书路径错误时退回明文。',
    ],
    here: [
      '`mqtt.tls.only`; a certificate that cannot be used ends the start.',
      '`mqtt.tls.only`；证书不可用则不启动。',
    ],
    shown: [
      [
        'test/e2e/mqtt.test.ts',
        'TLS only: with a certificate it is the only way in; with a bad one the host does not start',
      ],
      ['test/host/mqtt-listeners.test.ts', 'TLS asked for with … opens nothing in clear text'],
    ],
  },
  {
    id: 'A14',
    fault: [
      'Rows of the MQTT log and of devices that cannot be written are lost silently.',
      'MQTT 日志和设备行写入失败时静默丢失。',
    ],
    here: [
      'The log waits in memory, 10,000 rows a tenant, and is tried again; losses are counted and told. The row of a device is written at its next connection.',
      '日志在内存中等待（每租户 10,000 行）并重试，丢失会计数并告知；设备行在下次连接时写入。',
    ],
    shown: [
      [
        'test/app/mqtt-log.test.ts',
        'rows of a database that was away are written when it is back, although nothing more comes',
      ],
      [
        'test/app/mqtt-faults.test.ts',
        'a device whose row could not be read or written has one row, and is online after its next connection',
      ],
    ],
  },
  {
    id: 'A15',
    fault: ['`mci_mqtt_log` keeps whole payloads for ever.', '`mci_mqtt_log` 永久保存完整内容。'],
    here: [
      'Secrets masked, 2,000 characters, a sample of floods, and `retention.logDays`.',
      '屏蔽密钥、最多 2,000 字符、洪流抽样、按 `retention.logDays` 清理。',
    ],
    shown: [
      ['test/app/mqtt-log.test.ts', 'a row of the log has neither the secrets of a payload nor its whole length'],
      [
        'test/app/mqtt-log.test.ts',
        'of a flood of messages a part has a row, and connections have theirs all the same',
      ],
      ['test/app/mqtt-log.test.ts', 'rows of the log older than its retention are removed, younger ones stay'],
    ],
  },
  {
    id: 'A16',
    fault: ['Only `MessageReceived` can refuse.', '只有 `MessageReceived` 能拒绝。'],
    here: [
      '`Connected` and `Subscribing` can, too, with `MqttVeto` = 1.',
      '`MqttVeto` = 1 时 `Connected`、`Subscribing` 也能拒绝。',
    ],
    shown: [
      [
        'test/app/mqtt-faults.test.ts',
        'a script may refuse a device and a subscription where MqttVeto is 1, and not elsewhere',
      ],
    ],
  },
  {
    id: 'A17',
    fault: ['Scripts cannot publish to devices.', '脚本不能向设备发布。'],
    here: ['`V8.MQTT.Publish`, after the commit, in the own tenant.', '`V8.MQTT.Publish`：提交后发出，仅限本租户。'],
    shown: [
      [
        'test/app/mqtt.test.ts',
        'messages of a script: into a queue with the commit, to devices after it, not when it is blocked',
      ],
    ],
  },
  {
    id: 'A18',
    fault: ['An address “receives” by draining a queue.', '“接收”接口会清空队列。'],
    here: ['There is none.', '没有这种接口。'],
    shown: [['test/entry/platform-addresses.test.ts', 'are not there for anybody, and the messages stay']],
  },
  {
    id: 'A19',
    fault: ['DLL handlers of one node.', '单节点的 DLL 处理程序。'],
    here: ['The main tenant may register modules with a hash; nobody else.', '仅主租户可登记带哈希的模块。'],
    shown: [
      [
        'test/app/trusted-modules.test.ts',
        'a module is refused when it is not registered, not there, outside of the folder, or another tenant asks',
      ],
    ],
  },
  {
    id: 'A20',
    fault: ['A changed engine of a device needs a reconnect.', '修改设备的接口引擎后需要重连。'],
    here: ['It is seen within five seconds.', '五秒内生效。'],
    shown: [
      [
        'test/app/mqtt.test.ts',
        'a device with an engine of its own: by key or Id, a change is seen without a reconnect',
      ],
    ],
  },
  {
    id: 'A21',
    fault: ['A kill or a power cut loses acknowledged messages.', '进程被杀或断电会丢失已确认的消息。'],
    here: ['An acknowledgement means stored, for queues and devices.', '队列和设备的确认都意味着已落盘。'],
    shown: [
      ['test/e2e/mqtt.test.ts', 'kill -9 right after the acknowledgement: the row of the script is there'],
      [
        'test/app/failure-crash.test.ts',
        'failure row 4: the host dies between commit and acknowledgement; the inbox answers the redelivery',
      ],
      ['test/adapters/sql/transaction-sqlite.test.ts', 'is WAL with synchronous FULL on every writing connection'],
    ],
  },
];
