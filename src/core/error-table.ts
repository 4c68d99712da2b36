/**
 * Every error of the product: code -> [kind, HTTP status, retry, log level, 中文, English]. Codes are stable API
 * (`ReasonCode`); a retired code is never used again. docs/errors.md is generated from this table.
 *
 * Retry: `never` the same input fails again; `policy` the binding's FailToReject/Count decide; `always` not the
 * message's fault, it comes again uncounted.
 */
interface ErrorSpec {
  readonly kind: 'invalid' | 'denied' | 'missing' | 'conflict' | 'script' | 'unavailable' | 'internal';
  readonly http: number;
  readonly retry: 'never' | 'policy' | 'always';
  readonly level: 'info' | 'warn' | 'error';
  readonly zh: string;
  readonly en: string;
}

type Row = readonly [ErrorSpec['kind'], number, ErrorSpec['retry'], ErrorSpec['level'], string, string];

// biome-ignore format: one row a code reads as a table
const ROWS = {
  // names and identities
  TENANT_INVALID: ['invalid', 400, 'never', 'warn', '租户标识 OsClient 不合法：须以字母或数字开头，只含字母、数字、_、-，长度 1 到 50。', 'OsClient is not a tenant name: it starts with a letter or digit and holds only letters, digits, _ and -, 1 to 50 characters.'],
  TENANT_MISMATCH: ['denied', 403, 'never', 'warn', 'OsClient 与当前租户不一致：脚本只能使用自己的租户 {tenant}。', 'OsClient differs from the current tenant: a script uses its own tenant {tenant} only.'],
  TENANT_UNKNOWN: ['missing', 404, 'never', 'warn', '租户 {tenant} 不存在：先执行 v8host tenant add {tenant}。', 'Tenant {tenant} does not exist: run v8host tenant add {tenant} first.'],
  TENANT_EXISTS: ['conflict', 409, 'never', 'info', '租户 {tenant} 已存在。', 'Tenant {tenant} exists already.'],
  TENANT_UNAVAILABLE: ['unavailable', 503, 'always', 'error', '租户 {tenant} 的数据库无法打开：{reason}', 'The database of tenant {tenant} cannot be opened: {reason}'],
  QUEUE_FOREIGN: ['denied', 403, 'never', 'warn', '队列名 {queue} 属于其他租户：microi. 前缀由平台保留，请只写逻辑名。', 'Queue {queue} belongs to another tenant: the prefix microi. is reserved, write the logical name only.'],
  QUEUE_INVALID: ['invalid', 400, 'never', 'warn', '队列名 {queue} 不合法：须以字母或数字开头，只含字母、数字、. _ -，逻辑名 1 到 200 个字符，加前后缀后不超过 255 字节。', 'Queue name {queue} is invalid: it starts with a letter or digit and holds only letters, digits, . _ and -, 1 to 200 characters, at most 255 bytes with prefix and suffix.'],
  QUEUE_RESERVED: ['invalid', 400, 'never', 'warn', '队列名 {queue} 以保留后缀 .dlq 或 .retry 结尾：请换一个名字。', 'Queue name {queue} ends in a reserved suffix (.dlq, .retry): choose another name.'],
  EVENT_ID_INVALID: ['invalid', 400, 'never', 'warn', 'EventId 不合法：最多 128 个字符且不超过 255 字节，不得含控制字符。', 'EventId is invalid: at most 128 characters and 255 bytes, no control characters.'],
  // messages
  JSON_INVALID: ['invalid', 400, 'never', 'info', 'JSON 不合法，第 {position} 个字符：{rule}', 'The JSON is invalid at character {position}: {rule}'],
  ENVELOPE_INVALID: ['invalid', 400, 'never', 'warn', '消息信封不合法：{rule}', 'The message envelope is invalid: {rule}'],
  MESSAGE_TOO_LARGE: ['invalid', 413, 'never', 'warn', '消息 {size} 字节，超过上限 {limit} 字节：请拆分消息或传递引用。', 'The message has {size} bytes, the limit is {limit}: split it or send a reference.'],
  QUEUE_UNAVAILABLE: ['unavailable', 503, 'always', 'error', '队列暂时不可用，消息未被接收：请用同一个 EventId 重试。', 'The queue is unavailable, the message was not accepted: send it again with the same EventId.'],
  QUEUE_STORE_UNUSABLE: ['unavailable', 503, 'never', 'error', '队列文件 {file} 无法打开：{reason}。检查路径、权限和磁盘空间；文件损坏时从备份恢复或移走它。', 'The queue file {file} cannot be opened: {reason}. Check its path, permissions and disk space; restore it from a backup or move it away when it is damaged.'],
  // cache and locks
  CACHE_KEY_INVALID: ['invalid', 400, 'never', 'info', '缓存键 {key} 不合法：不能为空，不得含控制字符，不超过 1024 字节。', 'Cache key {key} is invalid: it is not empty, has no control characters and at most 1,024 bytes.'],
  CACHE_KEY_FOREIGN: ['denied', 403, 'never', 'warn', '缓存键 {key} 属于其他租户：Microi: 前缀由平台保留，请只写自己的键名。', 'Cache key {key} belongs to another tenant: the prefix Microi: is reserved, write your own name only.'],
  CACHE_VALUE_MISMATCH: ['invalid', 409, 'policy', 'info', '缓存键 {key} 的内容不适用于此操作：{rule}', 'Cache key {key} holds something this operation does not work on: {rule}'],
  CACHE_VALUE_TOO_LARGE: ['invalid', 413, 'never', 'info', '缓存值 {size} 字节，超过上限 {limit} 字节：只缓存需要的字段，或分成几个键。', 'The cached value has {size} bytes, the limit is {limit}: cache only the fields that are needed, or split it over several keys.'],
  CACHE_FULL: ['denied', 429, 'policy', 'warn', '缓存已满：本租户的{what}已达上限 {limit}。给键设置过期时间，删除不用的键，或由运维提高 cache.keysPerTenant。', 'The cache is full: this tenant reached its limit of {limit} {what}. Let keys expire, remove those that are not needed, or let the operator raise cache.keysPerTenant.'],
  CACHE_UNAVAILABLE: ['unavailable', 503, 'always', 'error', '缓存暂时不可用：{reason}', 'The cache is unavailable: {reason}'],
  CACHE_URL_INVALID: ['invalid', 400, 'never', 'error', '缓存地址 cacheUrl 不合法：{rule}', 'The address cacheUrl is invalid: {rule}'],
  // RabbitMQ: what makes a tenant's queue unavailable, and what is wrong with one queue
  QUEUE_IDENTITY_MISSING: ['invalid', 503, 'always', 'error', '租户 {tenant} 的 RabbitMQ 配置缺少 {field}：在 sys_osclients 中填写（主租户也可用 queueUrl）；与主租户相同的账号、密码或虚拟主机视为未填写。', 'The RabbitMQ settings of tenant {tenant} lack {field}: fill it in in sys_osclients (the main tenant may use queueUrl); a user, password or virtual host equal to the main tenant\'s counts as missing.'],
  QUEUE_IDENTITY_INVALID: ['invalid', 503, 'always', 'error', '租户 {tenant} 的 RabbitMQ 配置 {field} 不合法：{rule}', 'The RabbitMQ setting {field} of tenant {tenant} is invalid: {rule}'],
  QUEUE_IDENTITY_SHARED: ['denied', 503, 'always', 'error', '租户 {tenant} 的 {field} 与另一个租户相同，拒绝连接：每个租户须有自己的账号、密码和虚拟主机。', '{field} of tenant {tenant} equals another tenant\'s, so no connection is made: every tenant needs a user, a password and a virtual host of its own.'],
  QUEUE_BROKER_UNREACHABLE: ['unavailable', 503, 'always', 'error', '连接不到 RabbitMQ {broker}（{reason}）：检查 MQHost、MQPort、网络以及 RabbitMQ 是否在运行；恢复后自动重连。', 'RabbitMQ at {broker} cannot be reached ({reason}): check MQHost, MQPort, the network and that RabbitMQ runs; the host connects again by itself.'],
  QUEUE_LOGIN_REFUSED: ['denied', 503, 'always', 'error', 'RabbitMQ {broker} 拒绝登录：检查 MQUserName 和 MQPassword。', 'RabbitMQ at {broker} refused the login: check MQUserName and MQPassword.'],
  QUEUE_VHOST_REFUSED: ['denied', 503, 'always', 'error', 'RabbitMQ {broker} 不开放虚拟主机 {vhost}：用 rabbitmqctl add_vhost 创建它，并用 set_permissions 授权 MQUserName。', 'RabbitMQ at {broker} does not open the virtual host {vhost}: create it with rabbitmqctl add_vhost and grant MQUserName access with set_permissions.'],
  QUEUE_TLS_FAILED: ['unavailable', 503, 'always', 'error', '与 RabbitMQ {broker} 的 TLS 握手失败（{reason}）：检查 MQPort 是否为 TLS 端口、证书是否受信任、MQTlsServerName 是否与证书一致。', 'TLS with RabbitMQ at {broker} failed ({reason}): check that MQPort is the TLS port, that the certificate is trusted and that MQTlsServerName is in it.'],
  QUEUE_CONNECTION_LOST: ['unavailable', 503, 'always', 'warn', '与 RabbitMQ 的连接中断（{reason}），自动重连。', 'The connection to RabbitMQ was lost ({reason}); the host connects again by itself.'],
  QUEUE_BROKER_BLOCKED: ['unavailable', 503, 'always', 'error', 'RabbitMQ 因资源不足暂停接收消息（{reason}）：释放内存或磁盘空间。', 'RabbitMQ takes no messages because it runs short ({reason}): free memory or disk space there.'],
  QUEUE_NO_ANSWER: ['unavailable', 503, 'always', 'error', 'RabbitMQ 在 {limit} 毫秒内没有答复。', 'RabbitMQ did not answer within {limit} ms.'],
  QUEUE_BACKLOG_FULL: ['unavailable', 503, 'always', 'error', '等待 RabbitMQ 确认的消息已达上限（{messages} 条，{size} 字节）：恢复后再发送。', 'The messages waiting for RabbitMQ\'s confirm reached their limit ({messages} messages, {size} bytes): send again when it is back.'],
  QUEUE_ACCESS_REFUSED: ['denied', 503, 'always', 'error', 'RabbitMQ 拒绝访问 {resource}：授予 MQUserName 对自己队列的 configure、write、read 权限，以及对 amq.default 的 write 权限。', 'RabbitMQ refused access to {resource}: grant MQUserName configure, write and read on its own queues, and write on amq.default.'],
  QUEUE_ARGUMENTS_DIFFER: ['conflict', 409, 'never', 'error', '队列 {queue} 已存在且参数不同（{difference}）：调整绑定的 QueueType，或在清空后删除该队列。', 'Queue {queue} exists with other arguments ({difference}): change QueueType of the binding, or delete the queue once it is empty.'],
  QUEUE_GONE: ['unavailable', 503, 'always', 'warn', '队列 {queue} 被删除或迁移，RabbitMQ 取消了消费者：主机会重建队列并重新消费。', 'Queue {queue} was deleted or moved, so RabbitMQ cancelled its consumer: the host makes it again and goes on.'],
  QUEUE_UNROUTABLE: ['unavailable', 503, 'always', 'error', '队列 {queue} 在发送时不断消失：检查是谁在删除它。', 'Queue {queue} keeps going away while messages are sent to it: find out who deletes it.'],
  QUEUE_REFUSED: ['unavailable', 503, 'always', 'error', 'RabbitMQ 拒绝了对队列 {queue} 的操作：{reason}', 'RabbitMQ refused an operation on queue {queue}: {reason}'],
  BROKER_ADMIN_UNREACHABLE: ['unavailable', 502, 'never', 'warn', '{url} 上没有 RabbitMQ 管理接口（{reason}）：用 rabbitmq-plugins enable rabbitmq_management 启用插件，检查地址和端口（默认 15672）。', 'There is no RabbitMQ management interface at {url} ({reason}): enable the plugin with rabbitmq-plugins enable rabbitmq_management, check address and port (15672 by default).'],
  BROKER_ADMIN_LOGIN_REFUSED: ['denied', 502, 'never', 'warn', 'RabbitMQ 管理接口 {url} 拒绝了该用户（{reason}）：检查管理员账号和密码，该用户须有 administrator 标签。', 'The RabbitMQ management interface at {url} refused the user ({reason}): check name and password of the administrator, who needs the tag administrator.'],
  BROKER_ADMIN_REFUSED: ['unavailable', 502, 'never', 'error', 'RabbitMQ 管理接口 {url} 没有执行 {step}（{reason}）：查看 RabbitMQ 的日志，然后重新执行本命令。', 'The RabbitMQ management interface at {url} did not do {step} ({reason}): look at the log of RabbitMQ, then repeat the command.'],
  BROKER_ACCOUNT_FOREIGN: ['conflict', 409, 'never', 'warn', 'RabbitMQ 用户 {user} 带有管理标签，不是租户的账号：在 sys_osclients 的 MQUserName 中换一个名字。', 'The RabbitMQ user {user} has management tags, so it is no tenant\'s account: put another name into MQUserName of sys_osclients.'],
  BROKER_ACCOUNT_MAIN: ['conflict', 409, 'never', 'info', '主租户 {tenant} 的 RabbitMQ 账号来自 queueUrl：请手工建立，本命令用于其他租户。', 'The RabbitMQ account of the main tenant {tenant} is that of queueUrl: make it by hand, this command is for the other tenants.'],
  BROKER_COLUMN_MISSING: ['conflict', 409, 'never', 'warn', '表 sys_osclients 缺少列 {column}，无法保存账号：执行 v8host migrate --extend，或手工添加该列。', 'The table sys_osclients lacks the column {column}, so the account cannot be stored: run v8host migrate --extend, or add the column by hand.'],
  // engines
  ENGINE_MISSING: ['missing', 404, 'policy', 'warn', '接口引擎 {engine} 不存在：检查 ApiEngineKey，或执行 v8host push。', 'Engine {engine} does not exist: check ApiEngineKey, or run v8host push.'],
  ENGINE_DISABLED: ['missing', 404, 'policy', 'warn', '接口引擎 {engine} 已停用：把 IsEnable 设为 1。', 'Engine {engine} is disabled: set IsEnable to 1.'],
  ENGINE_KEY_INVALID: ['invalid', 400, 'never', 'warn', '接口引擎 Key {engine} 不合法：须以字母或数字开头，只含字母、数字、_、-，最多 50 个字符。', 'Engine key {engine} is invalid: it starts with a letter or digit and holds only letters, digits, _ and -, at most 50 characters.'],
  ENGINE_PAUSED: ['unavailable', 503, 'always', 'warn', '接口引擎 {engine} 反复使沙箱进程被终止，已暂停；约 {seconds} 秒后（{again}）试运行一次，正常即恢复。请检查脚本的内存与死循环（见 run.limit_hit 日志）。', 'Engine {engine} kept getting its sandbox process killed and is paused; in about {seconds} s ({again}) one run is tried, and a good one ends the pause. Look at its memory and loops (run.limit_hit in the log).'],
  ENGINE_LIMIT_INVALID: ['invalid', 400, 'never', 'warn', '接口引擎 {engine} 的 {field} 不合法：{rule}。现按默认值运行：请改正 sys_apiengine 中的这一列。', 'Engine {engine}: {field} is invalid: {rule}. It runs with the default: correct this column of sys_apiengine.'],
  ENGINE_LIMIT_CAPPED: ['invalid', 400, 'never', 'warn', '接口引擎 {engine} 的 {field} 要求 {asked}，上限为 {limit}：按上限运行。请改小，或由管理员提高 limits.* 中的上限（内存还受 sandbox.rssMb 限制）。', 'Engine {engine}: {field} asks for {asked}, the cap is {limit} and counts: ask for less, or let the operator raise the cap in limits.* (memory also depends on sandbox.rssMb).'],
  MODULE_REFUSED: ['denied', 403, 'never', 'warn', '处理模块 {module} 不能运行：{rule}', 'Handler module {module} does not run: {rule}'],
  BINDING_INVALID: ['invalid', 400, 'never', 'warn', '队列绑定 {queue} 的 {field} 不合法：{rule}', 'Binding of queue {queue}: {field} is invalid: {rule}'],
  HEADER_INVALID: ['invalid', 400, 'never', 'warn', '{file}:{line} 头部注释不合法：{rule}', '{file}:{line} the header block is invalid: {rule}'],
  // script outcomes
  SCRIPT_SYNTAX: ['script', 422, 'policy', 'info', '{file}:{line}:{column} 语法错误：{message}', '{file}:{line}:{column} syntax error: {message}'],
  SCRIPT_THREW: ['script', 422, 'policy', 'info', '脚本抛出异常：{message} [行:{line}, 列:{column}]', 'The script threw: {message} [行:{line}, 列:{column}]'],
  SCRIPT_REFUSED: ['script', 422, 'policy', 'info', '脚本返回 Code {code}：{message}', 'The script returned Code {code}: {message}'],
  SCRIPT_NO_CODE: ['script', 422, 'policy', 'info', '接口引擎 {engine} 没有返回 {Code:1}（返回了 {kind}），消息不会被确认：请显式 return {Code:1}，或在绑定上打开 LegacyAck。', 'Engine {engine} did not return {Code:1} (it returned {kind}), so the message is not acknowledged: return {Code:1} explicitly, or switch LegacyAck on for the binding.'],
  SCRIPT_RESULT_INVALID: ['script', 422, 'policy', 'info', '返回值不能写成 JSON：{message}', 'The result cannot be written as JSON: {message}'],
  V8_TIMEOUT: ['script', 504, 'policy', 'warn', '运行超过 {limit} 毫秒被终止：缩短循环或外部调用，或提高绑定的 TimeoutSeconds 或引擎的 Timeout（V8Limit=1）。', 'The run passed {limit} ms and was ended: shorten loops or outside calls, or raise TimeoutSeconds of the binding or Timeout of the engine (with V8Limit=1).'],
  V8_CPU_LIMIT: ['script', 504, 'policy', 'warn', 'CPU 用时超过 {limit} 毫秒被终止：检查死循环，减少计算量或分批处理；管理员可提高 run.cpuSeconds。', 'The run used more than {limit} ms of CPU and was ended: look for an endless loop, compute less or work in portions; the operator can raise run.cpuSeconds.'],
  V8_MEMORY_LIMIT: ['script', 507, 'policy', 'warn', '内存超过 {limit} MB 被终止：分页读取，不要一次装入全部数据，或提高引擎的 LimitMemory（V8Limit=1）。', 'The run passed {limit} MB of memory and was ended: read in pages instead of loading everything at once, or raise LimitMemory of the engine (with V8Limit=1).'],
  V8_PROCESS_MEMORY: ['script', 507, 'policy', 'warn', '沙箱进程内存超过 {limit} MB 被终止：减少大字符串、数组或缓冲区；管理员可提高 sandbox.rssMb。', 'The sandbox process passed {limit} MB and was ended: use fewer large strings, arrays or buffers; the operator can raise sandbox.rssMb.'],
  V8_PROCESS_CRASH: ['script', 500, 'policy', 'warn', '脚本使沙箱进程崩溃：检查超大字符串或数组的原生操作。', 'The script crashed its sandbox process: look for native operations on huge strings or arrays.'],
  V8_NEVER_SETTLES: ['script', 422, 'policy', 'info', '脚本等待一个永远不会完成的 Promise：检查 await 的对象。', 'The script awaits a promise that can never settle: check what it awaits.'],
  LATE_EFFECT: ['script', 409, 'never', 'info', '本次运行已经失败，{what} 未执行：不要在抛出异常后再调用平台。', 'The run has failed already, {what} was not performed: do not call the platform after a throw.'],
  V8_RECURSION_LIMIT: ['script', 422, 'policy', 'info', '递归过深：检查函数是否无限调用自身。', 'Too much recursion: look for a function that calls itself without end.'],
  V8_NESTED_DEPTH_LIMIT: ['script', 422, 'policy', 'info', '接口引擎嵌套超过 {limit} 层（{path}）：检查引擎是否互相调用。', 'Engines are nested deeper than {limit} ({path}): look for engines that call each other.'],
  V8_HOST_CALL_LIMIT: ['script', 429, 'policy', 'warn', '一次运行的平台调用超过 {limit} 次：改用批量方法。', 'One run made more than {limit} host calls: use the batch methods.'],
  V8_HOST_CALL_RATE: ['script', 429, 'policy', 'warn', '租户的平台调用超过每秒 {limit} 次，且等待的调用过多：减少并发的 Async 调用，改用批量方法，或由管理员提高 limits.hostCallsPerSecond。', 'The tenant makes more than {limit} host calls a second and too many wait: start fewer Async calls at once, use the batch methods, or let the operator raise limits.hostCallsPerSecond.'],
  V8_RESULT_TOO_LARGE: ['script', 413, 'policy', 'warn', '{what} 为 {size} 字节，超过上限 {limit} 字节：请分页或只传需要的字段。', '{what} has {size} bytes, the limit is {limit}: use pages or pass the needed fields only.'],
  V8_RESULT_TOO_DEEP: ['script', 413, 'policy', 'warn', '返回值嵌套超过 {limit} 层：请返回较浅的结构，例如列表加上级 Id。', 'The result is nested deeper than {limit} levels: return a flatter one, such as a list with the Id of the parent.'],
  V8_EXECUTION_QUEUE_TIMEOUT: ['unavailable', 503, 'always', 'warn', '等待运行超过 {limit} 毫秒：主机繁忙，或该租户或接口引擎同时进行的运行已达上限。请稍后重试，或调整 sandbox.lanes、limits.runsPerTenant、limits.runsPerEngine 或 limits.queueWaitSeconds。', 'Waited more than {limit} ms for its turn: the host is busy, or its tenant or engine has as many runs under way as it may. Try again later, or change sandbox.lanes, limits.runsPerTenant, limits.runsPerEngine or limits.queueWaitSeconds.'],
  SANDBOX_UNTESTED: ['internal', 500, 'never', 'error', '未经测试的版本 {found}（已测试：{tested}）：请使用项目自带的 Node 和 isolated-vm，或设置 sandbox.allowUntestedVersions 为 true。', 'The version {found} is untested (tested: {tested}): use the Node and isolated-vm that come with the project, or set sandbox.allowUntestedVersions to true.'],
  SANDBOX_UNAVAILABLE: ['unavailable', 503, 'always', 'error', '沙箱进程无法启动：{reason}', 'The sandbox process cannot be started: {reason}'],
  // storage
  TABLE_UNKNOWN: ['missing', 400, 'never', 'info', '表 {table} 不存在或不可访问。', 'Table {table} does not exist or is not accessible.'],
  TABLE_READ_ONLY: ['denied', 403, 'never', 'warn', '表 {table} 由平台维护，脚本不能写入。', 'Table {table} is kept by the platform, scripts cannot write it.'],
  MEMBER_UNSUPPORTED: ['missing', 501, 'never', 'warn', 'V8.{member} 在此版本不受支持：{instead}', 'V8.{member} is not supported in this version: {instead}'],
  CIPHER_REFUSED: ['invalid', 400, 'never', 'info', '{member} 失败：{rule}', '{member} failed: {rule}'],
  PARAM_MISSING: ['invalid', 400, 'never', 'info', '缺少参数 {field}。', 'The parameter {field} is missing.'],
  PARAM_INVALID: ['invalid', 400, 'never', 'info', '参数 {field} 不合法：{rule}', 'The parameter {field} is invalid: {rule}'],
  WHERE_INVALID: ['invalid', 400, 'never', 'info', '_Where 第 {index} 个条件不合法：{rule}', '_Where condition {index} is invalid: {rule}'],
  WHERE_REQUIRED: ['invalid', 400, 'never', 'info', '{method} 必须带 _Where 条件，否则会影响全部数据。', '{method} needs a _Where condition, else it would touch every row.'],
  ROW_NOT_FOUND: ['missing', 404, 'never', 'info', '不存在的数据！', 'The data does not exist.'],
  ROW_NOT_UNIQUE: ['conflict', 409, 'never', 'info', '表 {table} 已有相同的 {field}：违反唯一约束。', 'Table {table} already has a row with the same {field}: unique constraint.'],
  TOO_MANY_ROWS: ['invalid', 413, 'never', 'info', '一次读取超过 {limit} 行：请用 _PageIndex、_PageSize 分页。', 'One read returns more than {limit} rows: use _PageIndex and _PageSize.'],
  DB_STATEMENT: ['script', 422, 'policy', 'info', '数据库拒绝了语句：{message}', 'The database refused the statement: {message}'],
  SQL_REFUSED: ['denied', 403, 'never', 'warn', 'SQL 被拒绝，问题在 {part}：{rule}', 'The SQL is refused at {part}: {rule}'],
  DB_BUSY: ['unavailable', 503, 'always', 'info', '数据库忙，等待锁超时：稍后重试。', 'The database is busy, a lock was not granted in time: try again.'],
  DB_TX_LOST: ['unavailable', 503, 'always', 'warn', '数据库已结束本次事务，本次运行的结果不会提交，消息会自动重试。', 'The database ended the transaction; nothing of this run is committed, the message runs again by itself.'],
  DB_TORN: ['internal', 500, 'never', 'error', '事务被中途提交，运行结果不完整：消息进入死信，请人工核对。', 'The transaction was committed half-way: the message goes to the dead letters, check its effects by hand.'],
  DB_UNAVAILABLE: ['unavailable', 503, 'always', 'error', '数据库暂时不可用：{reason}', 'The database is unavailable: {reason}'],
  DB_URL_INVALID: ['invalid', 400, 'never', 'error', '数据库地址不合法：{rule}。写成 mysql://用户:密码@主机:端口/库名（密码中的 @ / : 须转义），或平台的连接串 Data Source=…;Port=…;Database=…;User Id=…;Password=…。', 'The database address is invalid: {rule}. Write mysql://user:password@host:port/schema (escape @ / : in the password), or the platform form Data Source=…;Port=…;Database=…;User Id=…;Password=….'],
  DB_UNREACHABLE: ['unavailable', 503, 'always', 'error', '连接不到数据库服务器 {address}（{reason}）：检查地址、端口、防火墙，以及服务器是否在运行。', 'The database server {address} cannot be reached ({reason}): check address, port and firewall, and that the server runs.'],
  DB_LOGIN_REFUSED: ['unavailable', 503, 'always', 'error', '数据库服务器 {address} 拒绝用户 {user} 登录：检查用户名、密码，以及该用户是否允许从本机连接。', 'The database server {address} refuses the login of user {user}: check name and password, and that the user may connect from this machine.'],
  DB_MISSING: ['unavailable', 503, 'always', 'error', '数据库服务器 {address} 上没有库 {database}：先执行 CREATE DATABASE `{database}` CHARACTER SET utf8mb4，或改正地址中的库名。', 'The database server {address} has no schema {database}: run CREATE DATABASE `{database}` CHARACTER SET utf8mb4, or correct the name in the address.'],
  DB_PRIVILEGES: ['unavailable', 503, 'always', 'error', '数据库用户 {user} 在库 {database} 上权限不足（{reason}）：授予 SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP。', 'The database user {user} lacks rights on schema {database} ({reason}): grant SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP.'],
  DB_UNSUPPORTED: ['unavailable', 503, 'never', 'error', '不支持数据库服务器 {found}：需要 MariaDB 10.6 或 MySQL 8.0.17 以上版本。', 'The database server {found} is not supported: MariaDB 10.6 or MySQL 8.0.17 at least.'],
  DB_SETTING: ['unavailable', 503, 'always', 'error', '数据库服务器 {address} 的设置不可用：{rule}', 'The database server {address} cannot be used as it is set: {rule}'],
  DB_SHARED: ['denied', 503, 'always', 'error', '租户 {tenant} 的数据库用户能看到其他租户的库 {schemas}，已拒绝打开：为每个租户建立只能访问自己库的用户。', 'The database user of tenant {tenant} sees schemas of other tenants ({schemas}), so it is not opened: give each tenant a user limited to its own schema.'],
  DB_PROVISION_REFUSED: ['unavailable', 503, 'always', 'error', '无法为租户 {tenant} 建立库 {schema}：{reason}。用 --db 指定现成的库，或给主租户的数据库用户授权：{grants}', 'Schema {schema} for tenant {tenant} cannot be made: {reason}. Name an existing one with --db, or give the user of the main database: {grants}'],
  DB_COMMIT_UNKNOWN: ['unavailable', 503, 'always', 'error', '提交结果未知，消息会再次投递并由收件箱判断。', 'The outcome of the commit is unknown; the message comes again and the inbox decides.'],
  SCHEMA_NEWER: ['internal', 500, 'never', 'error', '数据库结构版本 {found} 比本程序支持的 {known} 新：请使用更新的 v8-engine-host。', 'The schema version {found} is newer than {known}, which this program knows: use a newer v8-engine-host.'],
  OUTBOX_FULL: ['unavailable', 503, 'always', 'error', '待发送消息已达上限 {limit} 条：队列恢复后再发送。', 'The outbox holds {limit} messages, its limit: send again when the queue is back.'],
  // outbound HTTP
  HTTP_TRIAL_REFUSED: ['denied', 403, 'never', 'info', '试运行不发送请求（{target}）：确需发送时打开 allowHttp（--allow-http）。', 'A trial sends no requests ({target}): switch allowHttp (--allow-http) on when it must.'],
  HTTP_TARGET_DENIED: ['denied', 403, 'never', 'warn', '不允许访问地址 {target}：内网、本机和元数据地址默认禁止，可由运维在 outbound.allow（所有租户）或 outbound.tenants（单个租户）中放行。', 'The target {target} is not allowed: private, loopback and metadata addresses are refused unless the operator lists them in outbound.allow (every tenant) or outbound.tenants (one).'],
  HTTP_CREDENTIAL_UNKNOWN: ['missing', 404, 'never', 'warn', '没有名为 {credential} 的凭据：检查 Credentials 的拼写，或由运维在 outbound.tenants 中为本租户配置。', 'There is no credential {credential}: check the spelling of Credentials, or let the operator give it to this tenant in outbound.tenants.'],
  HTTP_CREDENTIAL_DENIED: ['denied', 403, 'never', 'warn', '凭据 {credential} 不能发送到 {target}：它只用于配置中 hosts 列出的地址，且 http:// 须写明端口。', 'Credential {credential} may not be sent to {target}: it is for the hosts listed with it, and over http:// only where the port is listed, too.'],
  HTTP_FAILED: ['unavailable', 502, 'policy', 'info', '请求 {target} 失败：{reason}', 'The request to {target} failed: {reason}'],
  // MQTT
  TOPIC_INVALID: ['invalid', 400, 'never', 'info', 'MQTT 主题不合法：{rule}。', 'The MQTT topic is invalid: {rule}.'],
  TOPIC_FOREIGN: ['denied', 403, 'never', 'warn', 'MQTT 主题属于其他租户：只写自己的路径，或以 tenant/自己的租户/ 开头。', 'The MQTT topic belongs to another tenant: write your own path only, or begin with tenant/ and your own tenant.'],
  TOPIC_RESERVED: ['denied', 403, 'never', 'info', '不支持 $SYS/ 主题和 $share/ 共享订阅。', 'Topics under $SYS/ and shared subscriptions ($share/) are not supported.'],
  MQTT_NOT_RUNNING: ['unavailable', 503, 'policy', 'warn', 'MQTT 服务没有运行：设置 mqtt.enabled，或主租户的 MqttEnable 为 1。', 'The MQTT broker is not running: set mqtt.enabled, or MqttEnable of the main tenant to 1.'],
  MQTT_DISABLED: ['denied', 403, 'never', 'info', '租户 {tenant} 没有启用 MQTT：把 sys_osclients 的 MqttEnable 设为 1，并填写 MqttAccount 和 MqttPwd。', 'MQTT is not enabled for tenant {tenant}: set MqttEnable in sys_osclients to 1, and MqttAccount and MqttPwd.'],
  MQTT_TLS_INVALID: ['invalid', 400, 'never', 'error', 'MQTT 的 TLS 证书无法使用（{field}，{reason}）：检查文件是否存在、可读，密码是否正确，是否包含私钥。', 'The TLS certificate of MQTT cannot be used ({field}, {reason}): check that the file exists and is readable, that the password is right and that it holds the private key.'],
  MQTT_LISTEN_FAILED: ['conflict', 409, 'never', 'error', 'MQTT 无法在 {address} 监听（{reason}，{setting}）：用 ss -ltnp 查看占用端口的进程，换一个端口，或停止那个进程。', 'MQTT cannot listen on {address} ({reason}, {setting}): find the process that has the port with ss -ltnp, choose another port or stop that process.'],
  MQTT_EVENT_ID_REUSED: ['conflict', 409, 'never', 'warn', 'EventId {eventId} 已用于另一条设备消息，内容不同：这条消息没有处理。请让设备为每条消息使用新的 EventId，几台设备之间也不要重复。', 'EventId {eventId} was used for another message of a device with other content: this one was not handled. Let devices use a new EventId for each message, one that no other device uses.'],
  MQTT_RATE: ['denied', 429, 'policy', 'warn', '租户 {tenant} 的下行发布超过每秒 {limit} 条：稍后重试。', 'Tenant {tenant} publishes more than {limit} messages a second to devices: try again later.'],
  // admin API and CLI
  UNAUTHORIZED: ['denied', 401, 'never', 'info', '令牌缺失或无效：用 --token 或 V8HOST_TOKEN 提供；主机生成的令牌在其数据目录的 admin.token 中。', 'The token is missing or wrong: give it by --token or V8HOST_TOKEN; a host that made its own keeps it in admin.token of its data directory.'],
  TOKEN_EXPIRED: ['denied', 401, 'never', 'info', '令牌已过期：让运维在 http.keys 中换一个新的。', 'The token has expired: let the operator put a new one into http.keys.'],
  TOKEN_FOREIGN: ['denied', 403, 'never', 'info', '令牌只能用于租户 {tenant}。', 'The token is for tenant {tenant} only.'],
  ROLE_DENIED: ['denied', 403, 'never', 'info', '角色 {role} 没有权限 {permission}：用有此权限的角色的令牌（见 docs/identity.zh-CN.md）。', 'Role {role} lacks the permission {permission}: use the token of a role that has it (see docs/identity.md).'],
  REQUEST_INVALID: ['invalid', 400, 'never', 'info', '请求的 {field} 不合法：{rule}', 'The request is invalid at {field}: {rule}'],
  REQUEST_TOO_LARGE: ['invalid', 413, 'never', 'info', '请求体超过上限 {limit} 字节：请分成几次提交。', 'The request body passes the limit of {limit} bytes: split it into several requests.'],
  MEDIA_TYPE_UNSUPPORTED: ['invalid', 415, 'never', 'info', '请求体必须是 JSON：请求头写 Content-Type: application/json。', 'The request body must be JSON: send the header Content-Type: application/json.'],
  PUSH_REFUSED: ['invalid', 422, 'never', 'info', '推送被拒绝，没有写入任何内容：共 {count} 处错误，逐条改正后再推送。', 'The push was refused and nothing was written: correct the {count} listed errors and push again.'],
  DEAD_LETTER_NOT_DEAD: ['conflict', 409, 'never', 'info', '{eventId} 已不是死信：别人已重放或处理了它（用 v8host trace 查看）。', '{eventId} is no dead letter any more: somebody replayed or ended it (see v8host trace).'],
  DEAD_LETTER_DONE: ['conflict', 409, 'never', 'info', '{eventId} 此前已处理完成，重放不会再运行。', '{eventId} was done before; a replay would not run.'],
  DEAD_LETTER_ID_REUSED: ['conflict', 409, 'never', 'info', 'EventId {eventId} 已用于处理另一份内容：用 dead-letters edit --event-id 给它一个新的 EventId。', 'EventId {eventId} was used for another content that is done: give the message an EventId of its own with dead-letters edit --event-id.'],
  NOT_FOUND: ['missing', 404, 'never', 'info', '没有找到 {what}。', '{what} was not found.'],
  PORT_TAKEN: ['conflict', 409, 'never', 'error', '端口 {port} 已被占用（{setting}）：换一个端口，或停止占用它的程序。', 'Port {port} is taken ({setting}): choose another one or stop the program that uses it.'],
  LISTEN_FAILED: ['conflict', 409, 'never', 'error', '无法在 {address} 监听（{reason}）：检查 http.bind 与 http.port。', 'Cannot listen on {address} ({reason}): check http.bind and http.port.'],
  HOST_UNREACHABLE: ['unavailable', 503, 'always', 'info', '连接不到 {url} 上的主机（{reason}）：先执行 v8host start，或用 --url 指定地址。', 'The host at {url} cannot be reached ({reason}): run v8host start first, or give its address by --url.'],
  CONFIG_INVALID: ['invalid', 400, 'never', 'error', '配置有误：\n{problems}', 'The configuration is wrong:\n{problems}'],
  DATA_DIR_UNUSABLE: ['unavailable', 503, 'never', 'error', '数据目录 {dir} 无法使用（{reason}）：检查 dataDir 和它的权限。', 'The data directory {dir} cannot be used ({reason}): check dataDir and its permissions.'],
  HOST_LOCKED: ['conflict', 409, 'never', 'error', '数据目录 {dir} 正被另一个主机进程使用（{holder}）：先停止它，或换一个 dataDir。', 'The data directory {dir} is used by another host process ({holder}): stop it or choose another dataDir.'],
  DRAINING: ['unavailable', 503, 'always', 'info', '主机正在停止，不再接受新的请求。', 'The host is stopping and takes no new requests.'],
  INTERNAL: ['internal', 500, 'policy', 'error', '主机内部错误，已记录到主机日志。', 'Internal error of the host; it is in the host log.'],
} as const satisfies Record<string, Row>;

/** A stable error code. */
export type ErrorCode = keyof typeof ROWS;

/** The table by code. Source of docs/errors.md. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorSpec>> = Object.freeze(
  Object.fromEntries(
    Object.entries(ROWS).map(([code, [kind, http, retry, level, zh, en]]) => [
      code,
      { kind, http, retry, level, zh, en },
    ]),
  ),
) as Readonly<Record<ErrorCode, ErrorSpec>>;
