import type { FaultRow } from './fault-row.ts';

/** Faults that people reported in public about sandboxes, queues and brokers like ours. */
export const REPORTED_ROWS: readonly FaultRow[] = [
  {
    id: 'R1',
    fault: ['A limit of time does not end promises.', '时间限制对 Promise 无效。'],
    here: ['CPU and wall time are watched from outside.', '从外部监视 CPU 和总时间。'],
    shown: [
      ['test/sandbox/limits.test.ts', '… ends the run and nothing else'],
      ['test/sandbox/outcomes.test.ts', 'a promise that can never settle fails at once'],
    ],
  },
  {
    id: 'R2',
    fault: ['One line of a script kills the host.', '一行脚本使主机崩溃。'],
    here: ['It kills its lane; the message is blamed, its neighbours are not.', '只杀死其进程；只归咎该消息。'],
    shown: [
      [
        'test/app/batch.test.ts',
        'a message that kills its sandbox undoes the batch; the others run again uncounted, it alone is blamed',
      ],
      [
        'test/app/failure-sandbox.test.ts',
        'failure row 13: a sandbox is killed under a run; that counts as a failed attempt, other runs go on',
      ],
    ],
  },
  {
    id: 'R3',
    fault: ['Out of memory hangs instead of ending.', '内存耗尽时挂起而不结束。'],
    here: ['Memory is measured from outside, and the lane killed.', '从外部测量内存并杀死进程。'],
    shown: [['test/adapters/process/watchdog.test.ts', 'memory over the ceiling is a kill, also before the run began']],
  },
  {
    id: 'R4',
    fault: ['A floating rejection changes the result.', '未处理的拒绝改变结果。'],
    here: ['It is a warning with its line.', '只是带行号的警告。'],
    shown: [
      ['test/sandbox/outcomes.test.ts', 'a floating rejection is a warning with its line and never the outcome'],
      ['test/sandbox/outcomes.test.ts', 'a floating rejection does not reach the next run'],
    ],
  },
  {
    id: 'R6',
    fault: ['Timers outlive their handler.', '定时器在处理结束后仍运行。'],
    here: ['They belong to the run and end with it.', '定时器属于本次运行，随之结束。'],
    shown: [['test/sandbox/timers.test.ts', 'a timer of one run does not run in the next']],
  },
  {
    id: 'R7',
    fault: ['Scripts leave their sandbox.', '脚本逃出沙箱。'],
    here: [
      'No object of the host is in reach, and the process has nothing to find.',
      '接触不到主机对象，进程内也无可窃取。',
    ],
    shown: [
      ['test/sandbox/isolation.test.ts', '… leads nowhere'],
      ['test/sandbox/isolation.test.ts', 'no path, library name or host frame is in a stack that a script can read'],
    ],
  },
  {
    id: 'R8',
    fault: ['A few bad messages stop a whole script.', '几条坏消息使整个脚本停摆。'],
    here: [
      'A rate over a window, per binding, with probes; bad data never counts.',
      '按绑定、按窗口计失败率并探测恢复；坏数据不计入。',
    ],
    shown: [
      ['test/app/breaker.test.ts', 'three bad messages among many are dead letters and nothing else'],
      ['test/core/circuit.test.ts', 'three bad messages among ten thousand open nothing, wherever they are'],
      [
        'test/app/breaker.test.ts',
        'a dependency that is away pauses its binding alone, before the thirtieth failure; the rest waits uncounted',
      ],
    ],
  },
  {
    id: 'R9',
    fault: ['State of one run is found by the next.', '上次运行的状态泄露到下次。'],
    here: ['Each run begins clean; tenants share no isolate.', '每次运行都是干净的；租户不共用隔离环境。'],
    shown: [
      ['test/sandbox/leaks/leaks.test.ts', 'the next run finds nothing of …'],
      ['test/sandbox/isolation.test.ts', 'tenants never share an isolate'],
    ],
  },
  {
    id: 'R10',
    fault: ['Acknowledgements on a new channel close it in a loop.', '在新通道上确认旧消息导致通道反复关闭。'],
    here: [
      'An acknowledgement knows its channel; late ones are dropped and counted.',
      '确认与通道绑定；迟到的被丢弃并计数。',
    ],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'acknowledgements after the consumer was cut off are dropped, and nothing runs twice (report 10)',
      ],
      [
        'test/adapters/amqp/broker-trouble.test.ts',
        '20 deliveries in flight over closed connections are all settled at last (…)',
      ],
    ],
  },
  {
    id: 'R12',
    fault: ['A run longer than the broker waits is under way twice.', '运行超过服务器等待时间时会同时运行两次。'],
    here: ['Such a binding is refused before its first message.', '在首条消息之前就拒绝这样的绑定。'],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'a run that could outlast the patience of the queue server is not bound, however its time is given (report 12)',
      ],
    ],
  },
  {
    id: 'R13',
    fault: ['A failing message goes round for ever.', '失败的消息无限循环。'],
    here: ['A budget, growing waits, then a dead letter.', '有次数预算和递增等待，最后成为死信。'],
    shown: [
      ['test/app/public-reports.test.ts', 'a failing or unreadable message does not go round for ever (report 13)'],
    ],
  },
  {
    id: 'R14',
    fault: ['A message is acknowledged although its script failed.', '脚本失败却确认了消息。'],
    here: ['Only `Code: 1` of a settled call counts.', '只认已完成调用的 `Code: 1`。'],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'only an explicit Code 1 acknowledges; every other ending has a reason for its author (report 14)',
      ],
    ],
  },
  {
    id: 'R15',
    fault: ['Two copies at once both run.', '两个副本同时运行。'],
    here: ['One claims the event; a host that was frozen cannot commit.', '只有一个占有事件；被冻结的主机无法提交。'],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'copies that are there when a sandbox dies run once more at most, with one effect (report 15)',
      ],
      [
        'test/engines/failure-mariadb.test.ts',
        'failure row 29: a host freezes while its script holds a transaction; another one finishes the event, the late commit fails',
      ],
    ],
  },
  {
    id: 'R17',
    fault: ['Sends are lost or doubled over a reconnect.', '重连时发送丢失或重复。'],
    here: ['The outbox sends until the confirm, under one id.', '发件记录用同一标识发送到确认为止。'],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'no onward message is lost or changed by a queue that fails before or after storing it (report 17)',
      ],
    ],
  },
  {
    id: 'R18',
    fault: ['A stop goes on pulling, or drops what runs.', '停止时仍在拉取或丢弃运行中的消息。'],
    here: [
      'No more is taken, what runs ends, the rest is given back unmarked.',
      '不再接收，运行的完成，其余原样归还。',
    ],
    shown: [
      [
        'test/app/public-reports.test.ts',
        'stopping in the middle loses nothing, repeats nothing and marks nothing that did not begin (report 18)',
      ],
      [
        'test/engines/drain.test.ts',
        'SIGTERM lets the run end and settles it, gives back what has not begun, and exits with 0',
      ],
    ],
  },
  {
    id: 'R20',
    fault: ['A broker loses acknowledged messages of QoS 1 and 2.', '已确认的 QoS 1、2 消息丢失。'],
    here: ['The acknowledgement comes after the disk.', '落盘后才确认。'],
    shown: [
      [
        'test/adapters/mqtt/broker.test.ts',
        '10,000 messages of QoS 1 among as many of QoS 0: every one of QoS 1 arrives',
      ],
      [
        'test/adapters/mqtt/broker.test.ts',
        'ten publishers, 10,000 acknowledged messages, a session on disk: none is lost',
      ],
    ],
  },
  {
    id: 'R21',
    fault: [
      'A client id takes over another tenant’s session; two clients fight for one.',
      '同名客户端接管他人会话；两个客户端互相踢。',
    ],
    here: ['Sessions are the tenant’s; a fight ends in a ban.', '会话属于租户；互踢会被封禁。'],
    shown: [
      ['test/adapters/mqtt/broker.test.ts', 'tenants with the same client id, topics and filters do not meet'],
      ['test/app/mqtt.test.ts', 'two devices that fight for one client id are kept out after fifteen takeovers'],
      [
        'test/adapters/mqtt/illegal-packets.test.ts',
        'client ids: 23 characters in version 3.1, an id from the server only with a clean session',
      ],
    ],
  },
  {
    id: 'R22',
    fault: ['Wills go round the rules.', '遗嘱消息绕过规则。'],
    here: [
      'They are checked at CONNECT and pass the gate, also those of a host that was killed, which the next broker publishes.',
      '连接时检查，并经过拒绝环节；主机被强制结束时，由下一个 MQTT 服务发布，同样经过拒绝环节。',
    ],
    shown: [
      ['test/app/mqtt-tenants.test.ts', 'the isolation matrix: nothing of one tenant reaches the other'],
      [
        'test/adapters/mqtt/take-over.test.ts',
        'clean …: a will in the gate comes before what its client says when it is back',
      ],
      [
        'test/adapters/mqtt/wills-kept.test.ts',
        '…: wills of connections that ended with their broker come once, none of who said goodbye',
      ],
    ],
  },
  {
    id: 'R23',
    fault: [
      'Topics are prefixed twice, retained ones leak, UNSUBSCRIBE is deaf.',
      '主题重复加前缀、保留消息泄露、取消订阅无效。',
    ],
    here: ['One rule in one place, and twice is once.', '同一规则集中处理，重复应用结果不变。'],
    shown: [
      ['test/core/mqtt-topic.test.ts', 'no topic leaves the prefix of its tenant, and twice is once'],
      ['test/adapters/mqtt/broker.test.ts', 'after UNSUBSCRIBE with the same words nothing comes'],
      ['test/adapters/mqtt/broker.test.ts', 'a device with short topics sees its own words'],
    ],
  },
  {
    id: 'R25',
    fault: ['Encodings break payloads and round big numbers.', '编码破坏内容，大数被舍入。'],
    here: ['Strict UTF-8, exact numbers, ids as text, bytes kept.', '严格 UTF-8、数字精确、标识为文本、字节保留。'],
    shown: [
      [
        'test/app/payload-encodings.test.ts',
        'a byte order mark is ignored, big numbers stay exact, and two ids that round alike are two events (report 25)',
      ],
      [
        'test/app/payload-encodings.test.ts',
        'hostile keys change no prototype, in the script and in the host (report 25)',
      ],
    ],
  },
  {
    id: 'E1',
    fault: ['`$share` and wildcards go round the rules.', '`$share` 和通配符绕过规则。'],
    here: ['Refused, with the reason.', '拒绝并说明原因。'],
    shown: [['test/app/mqtt-tenants.test.ts', 'the isolation matrix: nothing of one tenant reaches the other']],
  },
  {
    id: 'E3',
    fault: ['Packets kill the broker.', '特殊报文使服务崩溃。'],
    here: ['Bounds for everything; the offender is cut off.', '一切都有上限；违规者被断开。'],
    shown: [
      [
        'test/adapters/mqtt/illegal-packets.test.ts',
        'half-open QoS 2 is bounded for version 5 and harms nobody in version 4',
      ],
      ['test/adapters/mqtt/illegal-packets.test.ts', 'what is no CONNECT, or none in time, is cut off'],
      ['test/fuzz/mqtt-fuzz.test.ts', 'ten thousand mutated packets: no crash, no leak, nothing for another tenant'],
    ],
  },
];
