import type { FaultRow } from './fault-row.ts';

/** Faults that the platform had once and mended: they must not come back here. */
export const FORMER_ROWS: readonly FaultRow[] = [
  {
    id: 'C1',
    fault: ['A send reported success and the message vanished with its channel.', '发送报告成功，消息却随通道消失。'],
    here: ['A send waits for the confirm of the broker.', '发送等待服务器确认。'],
    shown: [
      [
        'test/adapters/amqp/broker-trouble.test.ts',
        'every confirmed message survives a killed broker, and its consumer goes on (…)',
      ],
      [
        'test/adapters/amqp/publishing.test.ts',
        'a broker that confirms nothing is given up after ten seconds, and what was sent counts until its end',
      ],
    ],
  },
  {
    id: 'C2',
    fault: ['Each repetition of a send had a new id.', '每次重发都使用新的标识。'],
    here: ['The id is kept with the message in the outbox.', '标识随消息保存在发件记录中。'],
    shown: [
      [
        'test/app/failure-crash.test.ts',
        'failure row 6: the host dies between sending on and removing the row; the receiver acknowledges the copy',
      ],
      [
        'test/app/public-reports.test.ts',
        'no onward message is lost or changed by a queue that fails before or after storing it (report 17)',
      ],
    ],
  },
  {
    id: 'C3',
    fault: ['One connection for all tenants, never made again.', '所有租户共用一个连接，断开后不重建。'],
    here: ['Two connections for each tenant, made again by themselves.', '每个租户两个连接，自动重建。'],
    shown: [
      ['test/adapters/amqp/refused-connection.test.ts', "one tenant's trouble is nobody else's"],
      [
        'test/adapters/amqp/refused-connection.test.ts',
        'a broker that was away is used when it is there, without a new attempt by the caller',
      ],
    ],
  },
  {
    id: 'C4',
    fault: ['A child without credentials used the main tenant’s account.', '没有账号的子租户使用主租户账号。'],
    here: ['It is refused, and the command that makes an account is named.', '拒绝，并给出创建账号的命令。'],
    shown: [
      ['test/core/mq-settings.test.ts', 'a child never inherits …'],
      [
        'test/engines/tenant-account.test.ts',
        'a tenant without an account is refused; the command makes one, and its queues work',
      ],
    ],
  },
  {
    id: 'C5',
    fault: [
      'Only consumers of the default tenant ran, and it got every log row.',
      '只有默认租户的消费者运行，日志都写给它。',
    ],
    here: ['Every tenant has its consumers, rows and stories.', '每个租户有自己的消费者、数据和记录。'],
    shown: [
      ['test/app/live-bindings.test.ts', 'two tenants with the same queue names and EventIds on one host do not meet'],
      ['test/e2e/tenants.test.ts', 'two tenants keep the same queue and the same EventId apart'],
    ],
  },
  {
    id: 'C6',
    fault: ['A queue was given up after three failures.', '三次注册失败后放弃队列。'],
    here: ['Attempts never end.', '一直重试。'],
    shown: [
      ['test/adapters/amqp/endpoint.test.ts', 'the pause comes after all hosts, grows to five seconds and never ends'],
      [
        'test/engines/failure-queue.test.ts',
        'failure row 31: RabbitMQ is away at the start and killed later; the host stays up and goes on by itself, nothing is lost',
      ],
    ],
  },
  {
    id: 'C7',
    fault: ['Edits of a consumer were ignored.', '修改消费者配置不生效。'],
    here: ['They count from the next message on.', '从下一条消息起生效。'],
    shown: [
      ['test/app/live-bindings.test.ts', 'an edited binding is used from the next message on, without attaching again'],
    ],
  },
  {
    id: 'C8',
    fault: ['A body that could not be read stopped its consumer.', '无法解析的消息体使消费者卡住。'],
    here: ['It is a dead letter at once, byte for byte.', '立即成为死信，逐字节保留。'],
    shown: [
      [
        'test/app/failure-message.test.ts',
        'failure row 20: a body that is no envelope, or too large, is a dead letter that no script saw',
      ],
      [
        'test/app/payload-encodings.test.ts',
        'unreadable bodies are dead letters byte for byte, and what follows them runs (report 25)',
      ],
    ],
  },
  {
    id: 'C9',
    fault: ['The first delivery could come before its handler.', '首条消息可能早于处理程序到达。'],
    here: ['The handler is there before the queue is asked.', '先有处理程序，再开始接收。'],
    shown: [['test/contract/queue.contract.ts', 'delivers to a consumer that was there before the message']],
  },
  {
    id: 'C10',
    fault: [
      'Counts of retries were global, never ended, and Count = 0 was retried once.',
      '重试计数全局共享、不过期，Count=0 也会重试一次。',
    ],
    here: ['The count is the message’s own; Count = 0 runs once.', '计数属于消息本身；Count=0 只运行一次。'],
    shown: [
      ['test/core/retry.test.ts', 'FailToReject … with Count … runs … times'],
      [
        'test/app/retry-decisions.test.ts',
        'an always failing message runs as often as FailToReject and Count say, then it is a dead letter',
      ],
    ],
  },
  {
    id: 'C11',
    fault: ['A failing log escaped into the consumer.', '写日志失败影响消费者。'],
    here: ['The journal is written beside the messages and says what it lost.', '日志与消息分开写入，并说明丢失数量。'],
    shown: [
      ['test/adapters/sql/journal.test.ts', 'says how many rows it lost when the table refuses them, and goes on'],
      ['test/app/platform-faults.test.ts', 'a log that takes no rows holds up no message'],
    ],
  },
  {
    id: 'C12',
    fault: [
      'Acknowledgements were not waited for; handlers could lie outside of their folder.',
      '确认没有等待完成；处理程序可在目录之外。',
    ],
    here: [
      'A settlement that does not end is told and its consumer replaced; modules lie in their folder.',
      '未完成的确认会告警并更换消费者；模块必须在指定目录内。',
    ],
    shown: [
      [
        'test/app/unsettled.test.ts',
        'a settlement that never ends is told, then its consumer is replaced and the rest goes on',
      ],
      [
        'test/app/trusted-modules.test.ts',
        'a module is refused when it is not registered, not there, outside of the folder, or another tenant asks',
      ],
    ],
  },
  {
    id: 'C13',
    fault: ['Traces ended at the queue.', '追踪在队列处中断。'],
    here: ['`traceparent` goes on through every hop.', '`traceparent` 贯穿每一跳。'],
    shown: [
      ['test/app/traces.test.ts', 'one trace from the sending of a message to the last effect of what it caused'],
      [
        'test/engines/traces.test.ts',
        'each message is one trace over two hosts, and a collector that goes away keeps no message back',
      ],
    ],
  },
  {
    id: 'C14',
    fault: [
      'Without credentials everybody could connect; an unknown tenant was the main one.',
      '未设账号即可任意连接；未知租户当作主租户。',
    ],
    here: [
      'Nobody is anonymous unless the main tenant says so; unknown is refused.',
      '除非主租户明确允许，否则不可匿名；未知租户被拒绝。',
    ],
    shown: [
      [
        'test/core/mqtt-identity.test.ts',
        'step 14: nobody is anonymous except in a main tenant that says so, and with a hint',
      ],
      ['test/core/mqtt-identity.test.ts', 'step 2: an unknown tenant in the User Property'],
    ],
  },
  {
    id: 'C15',
    fault: ['Tenants could share credentials.', '租户可以共用账号。'],
    here: ['Shared ones keep the child out.', '共用时子租户被拒绝。'],
    shown: [
      [
        'test/app/mqtt-tenants.test.ts',
        'a child that copies the main credentials, or shares another child’s, stays out; the main tenant does not',
      ],
    ],
  },
  {
    id: 'C16',
    fault: [
      'Isolation of topics could be switched off; `$SYS`, `$share` and response topics were not checked.',
      '主题隔离可关闭；未检查 `$SYS`、`$share` 和响应主题。',
    ],
    here: ['One rule for every topic, always on.', '所有主题同一规则，始终生效。'],
    shown: [
      ['test/app/mqtt-tenants.test.ts', 'the isolation matrix: nothing of one tenant reaches the other'],
      ['test/core/mqtt-topic.test.ts', 'no topic leaves the prefix of its tenant, and twice is once'],
    ],
  },
  {
    id: 'C17',
    fault: ['Clients were known by their id, without the tenant.', '客户端只按 ClientId 登记，不含租户。'],
    here: ['A client belongs to its tenant.', '客户端属于各自租户。'],
    shown: [['test/adapters/mqtt/broker.test.ts', 'tenants with the same client id, topics and filters do not meet']],
  },
  {
    id: 'C18',
    fault: ['The engine of a device was remembered by its id for all tenants.', '设备接口引擎的缓存跨租户共享。'],
    here: ['It is remembered with the tenant.', '缓存按租户区分。'],
    shown: [
      [
        'test/app/mqtt-faults.test.ts',
        'devices of two tenants with one client id have the engines of their own tenants',
      ],
    ],
  },
  {
    id: 'C19',
    fault: ['The veto of a script was discarded, and errors let messages pass.', '脚本的拒绝被忽略，出错也放行。'],
    here: ['It decides; errors block.', '由脚本决定；出错即阻止。'],
    shown: [
      [
        'test/app/mqtt.test.ts',
        'the gate: allowed is committed and forwarded, blocked and failed are told and leave nothing',
      ],
      ['test/core/mqtt-gate.test.ts', 'a script that fails blocks; one that the host could not run decides nothing'],
    ],
  },
  {
    id: 'C20',
    fault: ['A payload that was no JSON killed its event.', '非 JSON 内容使事件失败。'],
    here: ['It is text; bytes are there in Base64.', '按文本处理；字节以 Base64 提供。'],
    shown: [['test/app/mqtt-faults.test.ts', 'a payload that is no JSON, or no text, is a message like any other']],
  },
  {
    id: 'C21',
    fault: ['`StopServer` came before the broker had stopped.', '`StopServer` 早于服务真正停止。'],
    here: ['It comes after the last device has gone.', '在最后一个设备断开之后。'],
    shown: [
      ['test/app/mqtt-faults.test.ts', 'at a stop every device is gone before scripts hear of the end of the server'],
    ],
  },
  {
    id: 'C22',
    fault: [
      'The broker started although it was disabled; a failed start left parts behind.',
      '已禁用仍启动；启动失败留下残余。',
    ],
    here: [
      'Nothing starts that is not wanted, and a port that is taken is told before anything runs.',
      '未启用不启动；端口被占用时在运行前就说明。',
    ],
    shown: [
      [
        'test/app/mqtt-faults.test.ts',
        'a broker is wanted by the main tenant alone, and only where MQTT is switched on',
      ],
      ['test/adapters/mqtt/listener.test.ts', '…: a port that is taken is a listener that cannot be opened'],
    ],
  },
  {
    id: 'C23',
    fault: ['A port that Windows reserves left MQTT dead.', 'Windows 保留端口导致 MQTT 不可用。'],
    here: [
      'A configured port that cannot be had ends the start with what to do; the default one moves on to the next.',
      '配置的端口不可用时停止启动并给出办法；默认端口则换下一个。',
    ],
    shown: [
      ['test/e2e/mqtt.test.ts', 'a configured port that is taken ends the start and says what to do'],
      ['test/adapters/mqtt/listener.test.ts', 'ws: the next port is tried where that is asked for'],
    ],
  },
  {
    id: 'C24',
    fault: ['An Id in the place of an engine key was not found.', '用记录 Id 代替引擎 Key 时找不到。'],
    here: ['Key or Id.', 'Key 或 Id 均可。'],
    shown: [
      [
        'test/app/mqtt.test.ts',
        'a device with an engine of its own: by key or Id, a change is seen without a reconnect',
      ],
    ],
  },
  {
    id: 'C25',
    fault: ['The late end of a replaced connection took the new one offline.', '被替换连接的迟到断开使新连接离线。'],
    here: ['It changes nothing.', '不产生影响。'],
    shown: [['test/app/mqtt.test.ts', 'a takeover with clean … leaves the device online until the winner goes']],
  },
  {
    id: 'C26',
    fault: ['`MqttWsPort` is a field that does nothing.', '`MqttWsPort` 字段不起作用。'],
    here: ['It opens a listener.', '会打开监听。'],
    shown: [['test/host/mqtt-listeners.test.ts', 'ports of the row count where the configuration names none']],
  },
  {
    id: 'C27',
    fault: ['Debug output for every message.', '每条消息都有调试输出。'],
    here: ['None, and no payload in the host’s log.', '没有；主机日志中没有消息内容。'],
    shown: [['test/app/mqtt-faults.test.ts', 'messages of devices leave no line in the log of the host']],
  },
  {
    id: 'C28',
    fault: ['The status showed clients of every tenant, to anybody.', '状态接口向任何人显示所有租户的客户端。'],
    here: ['Administrators see their own tenant.', '管理员只能看到自己的租户。'],
    shown: [
      [
        'test/entry/platform-mqtt.test.ts',
        'none of them is for anybody but people with Level 9999, by its own method alone',
      ],
      ['test/admin/access.test.ts', 'lets through the roles of its permission in their own tenant only: …'],
    ],
  },
  {
    id: 'C29',
    fault: [
      '“Started” was printed before anything listened; causes were hidden.',
      '尚未监听就显示“已启动”，原因被隐藏。',
    ],
    here: ['The start ends with the cause and what to do.', '启动失败时说明原因和办法。'],
    shown: [
      ['test/e2e/start.test.ts', 'ends the start with 1 and the reason when it was configured'],
      ['test/e2e/mqtt.test.ts', 'a configured port that is taken ends the start and says what to do'],
    ],
  },
  {
    id: 'C30',
    fault: [
      'Cloned tenants had the main tenant’s secrets, and scripts could read them.',
      '克隆租户继承主租户密钥，脚本可读取。',
    ],
    here: ['Copies count as missing, and no script sees a secret.', '相同的值视为未配置；脚本看不到密钥。'],
    shown: [
      ['test/core/mq-settings.test.ts', "a copy of the main tenant's … counts as missing and refuses the child alone"],
      [
        'test/app/tenant-settings.test.ts',
        'a script sees names of the tenant row and none of its secrets, however it looks for them',
      ],
    ],
  },
];
