import type { MemberRow } from './member-row.ts';

/** Supported members. Add a row, or let `Family.*` cover it, when a host call or a member of the prelude is added. */
export const MEMBER_ROWS: readonly MemberRow[] = [
  {
    members: ['Param', 'OsClient', 'ApiEngineKey', 'EventName', 'InvokeType'],
    status: 'same',
    note: [
      'Lists in `Param` are real arrays. Integers beyond ±(2^53−1) arrive as text.',
      '`Param` 中的列表是真正的数组；超过 ±(2^53−1) 的整数以文本给出。',
    ],
    test: [
      'test/sandbox/isolation.test.ts',
      'V8 shows its members and nothing of the host; what is missing reads as undefined',
    ],
  },
  {
    members: ['CurrentUser', 'CurrentSysUser'],
    status: 'differs',
    note: ['`Id` and `Name` only: users are not kept here.', '只有 `Id` 和 `Name`：用户不由本主机管理。'],
    test: ['test/sandbox/surface-members.test.ts', 'V8.CurrentSysUser === V8.CurrentUser'],
  },
  {
    members: ['MQTT'],
    status: 'differs',
    note: [
      'An object in every run, with `Publish`; the fields of the event in runs of the MQTT broker. `PayloadBase64`, `UserPropertyList`, `ConnectionEpoch` and the members of MQTT 5 are additions; payloads that are no strict JSON are text.',
      '每次运行都是对象，带有 `Publish`；MQTT 事件中还有事件的字段。`PayloadBase64`、`UserPropertyList`、`ConnectionEpoch` 和 MQTT 5 字段是新增的；不是严格 JSON 的内容按文本处理。',
    ],
    test: ['test/app/mqtt.test.ts', 'the seven events, with their fields'],
  },
  {
    members: ['MQTT.Publish'],
    status: 'differs',
    note: [
      'An addition: publishes to the devices of the tenant, after the commit in a transaction. The platform has none.',
      '新增：向本租户的设备发布；事务中在提交后发出。原平台没有。',
    ],
    test: ['test/app/mqtt.test.ts', 'messages of a script: into a queue with the commit'],
  },
  {
    members: ['Header', 'FilesByteBase64'],
    status: 'differs',
    note: ['`{}` until there are routes that fill them.', '在提供相应路由之前为 `{}`。'],
    test: ['test/sandbox/surface-members.test.ts', '[V8.Header, V8.FilesByteBase64]'],
  },
  {
    members: ['SysConfig'],
    status: 'differs',
    note: [
      'Columns that hold passwords or keys are left out; `ServerPrivateSettings` is JSON text of an object in the row.',
      '不含密码和密钥列；`ServerPrivateSettings` 取自该行中的 JSON 对象文本。',
    ],
    test: [
      'test/app/tenant-settings.test.ts',
      'V8.SysConfig is the row of sys_config, with the private settings as an object',
    ],
  },
  {
    members: ['OsClientModel', 'ClientModel'],
    status: 'differs',
    note: [
      'Without everything that is named or looks like a secret, an address or a connection.',
      '不含名称或内容像密码、地址或连接信息的列。',
    ],
    test: [
      'test/app/tenant-settings.test.ts',
      'a script sees names of the tenant row and none of its secrets, however it looks for them',
    ],
  },
  {
    members: ['Action', 'Action.GetDateTimeNow', 'Action.GetTimestamp', 'Action.Sleep'],
    status: 'same',
    note: ['There before the global code has run, which may replace them.', '全局代码运行前已存在，可被其覆盖。'],
    test: [
      'test/sandbox/surface-members.test.ts',
      'V8.Action belongs to the run: what a script puts on it, the next one does not see',
    ],
  },
  {
    members: ['Limits'],
    status: 'differs',
    note: [
      'What this host does not count (statements, recursion) is null; memory is the live heap.',
      '本主机不计数的项（语句数、递归）为 null；内存为存活堆。',
    ],
    test: ['test/app/engine-limits.test.ts', 'an engine runs with the limits of its row, and V8.Limits shows them'],
  },
  {
    members: ['Result'],
    status: 'same',
    test: ['test/sandbox/outcomes.test.ts', 'V8.Result counts only when nothing was returned'],
  },
  {
    members: ['DbTrans', 'DbTrans.Commit', 'DbTrans.Rollback', 'DbTrans.Close', 'DbTrans.Dispose'],
    status: 'same',
    note: ['These functions do nothing: the result decides.', '这些方法不做任何事：由返回值决定提交或回滚。'],
    test: ['test/sandbox/isolation.test.ts', 'V8.DbTrans crosses as a mark that no other value can imitate'],
  },
  {
    members: ['Db.FromSql', 'DbRead.FromSql', 'DbTrans.FromSql'],
    status: 'differs',
    note: [
      'One row statement, its values as parameters; what ends a transaction or leaves the tenant is refused. `DbRead` sees the run’s own writes.',
      '只允许单条数据语句，值用参数传入；会结束事务或越出租户的语句被拒绝。`DbRead` 能看到本次运行的写入。',
    ],
    test: ['test/contract/sql-session.contract.ts', 'computes as MySQL does'],
  },
  {
    members: ['FormEngine.*'],
    status: 'differs',
    note: [
      'An unknown column, operator or parameter is refused; the platform drops it and touches more rows. Table events do not run.',
      '未知的列、运算符或参数会被拒绝（平台会丢弃它们，从而影响更多数据）。不触发表事件。',
    ],
    test: ['test/v8-api/form-engine-read.test.ts', 'answers Code 2 without data when no row matches'],
  },
  {
    members: ['ApiEngine.Run', 'ApiEngine.RunAsync'],
    status: 'same',
    note: [
      'At most 32 deep; the message names the engines that call each other.',
      '最多嵌套 32 层；提示中列出互相调用的引擎。',
    ],
    test: [
      'test/v8-api/api-engine.test.ts',
      'takes key, key and parameters, and one object, each with or without the transaction',
    ],
  },
  {
    members: ['MQ.SendMsg'],
    status: 'differs',
    note: [
      'In an open transaction it goes out with the commit. The positional form works. `Data.EventId` is the id.',
      '事务打开时随提交发出；也接受位置参数；`Data.EventId` 是事件号。',
    ],
    test: ['test/v8-api/mq.test.ts', 'takes the positional form, with and without an EventId'],
  },
  {
    members: ['Http.*'],
    status: 'differs',
    note: [
      'Internal addresses are refused unless the operator allows them. Requests of a message carry an Idempotency-Key.',
      '默认拒绝内网地址，须由运维放行；处理消息时请求带 Idempotency-Key。',
    ],
    test: ['test/v8-api/http.test.ts', 'answers StatusCode 0 with the reason when there is no response'],
  },
  {
    members: ['Put', 'Delete', 'PutResponse', 'DeleteResponse', 'HeadResponse'].flatMap((name) => [
      `Http.${name}`,
      `Http.${name}Async`,
    ]),
    status: 'added',
    note: ['REST services need them.', 'REST 服务需要它们。'],
    test: ['test/v8-api/http.test.ts', 'sends each verb with its own parameters'],
  },
  {
    members: ['Cache.*'],
    status: 'differs',
    note: [
      'A refused call, a foreign key and a cache that is away are answered by `Code: 0` instead of an exception: compare with `=== true`. Objects and unreadable lives are refused instead of stored as a type name or for ever. Every member has an Async twin; HashSet answers true for a replaced field, too. Values (1 MiB) and the number of keys have caps.',
      '被拒绝的调用、其他租户的键和缓存不可用都返回 `Code: 0` 而不抛异常：请用 `=== true` 判断。对象和无法识别的过期时间会被拒绝（平台会存成类型名或永不过期）。每个方法都有 Async 版本；HashSet 覆盖字段时也返回 true。值（1 MiB）和键的数量有上限。',
    ],
    test: ['test/v8-api/cache.test.ts', 'a cache that is away is Code 0 for every member, never null or false'],
  },
  {
    members: ['Method.NewUlid', 'Method.NewGuid', 'Method.GetTimestamp', 'Method.AddSysLog'],
    status: 'same',
    test: ['test/v8-api/method.test.ts', 'gives ids of the host and the time in Unix seconds'],
  },
  {
    members: ['Method.GetCurrentToken'],
    status: 'differs',
    note: [
      'The token itself stays in the host; one that is passed in identifies nobody.',
      '令牌不进入脚本；传入的令牌不代表任何人。',
    ],
    test: ['test/v8-api/method.test.ts', 'says who runs the script and shows no token'],
  },
  {
    members: ['Method.ParseWhere'],
    status: 'same',
    note: ['A condition that is none is refused, not dropped.', '不合法的条件会被拒绝，而不是丢弃。'],
    test: ['test/v8-api/method.test.ts', 'turns the array form into objects and refuses what is none'],
  },
  {
    members: ['Method.HmacSha1Sign', 'Method.HmacSha256Sign', 'Method.Md5Sign', 'Method.Md5SignHex'],
    status: 'same',
    test: ['test/v8-api/method.test.ts', 'agrees with RFC 2202, 4231, 1321'],
  },
  {
    members: ['Method.JsonStringify', 'Method.JsonStringifyIndented'],
    status: 'same',
    test: ['test/sandbox/surface-members.test.ts', 'V8.Method.JsonStringify('],
  },
  {
    members: ['EncryptHelper.*'],
    status: 'same',
    note: ['Wrong arguments are `Code: 0` where the platform throws.', '参数错误时返回 `Code: 0`（平台抛出异常）。'],
    test: ['test/v8-api/encrypt-helper.test.ts', 'EncryptHelper gives known answers'],
  },
  {
    members: ['EncryptHelper.HmacSha256'],
    status: 'differs',
    note: [
      'A message given as text, which the platform documents and does not take, gives lower-case hex.',
      '消息为文本时（平台文档有此写法但实际不支持）得到小写十六进制。',
    ],
    test: ['test/v8-api/encrypt-helper.test.ts', 'RFC 4231, 2'],
  },
  {
    members: ['EncryptHelper.RSAEncrypt'],
    status: 'differs',
    note: [
      'A failure is `Code: 0`; the platform returns the plain text, which then is stored as if it were encrypted.',
      '失败为 `Code: 0`；平台返回明文，容易被当作密文保存。',
    ],
    test: ['test/v8-api/encrypt-helper.test.ts', 'takes keys in every form'],
  },
  {
    members: ['Base64.StringToBase64', 'Base64.Base64ToString'],
    status: 'same',
    test: ['test/sandbox/base64.test.ts', 'every text comes back, and equals what Node makes of it'],
  },
  {
    members: ['::DateNow', '::DateFormat', '::DateAdd'],
    status: 'same',
    note: [
      'As the platform’s later built-ins; a function of the tenant’s own of the same name wins.',
      '与平台后期内置版本一致；租户自己的同名函数优先。',
    ],
    test: ['test/sandbox/console-and-dates.test.ts', 'a script’s own date functions win'],
  },
  {
    members: ['::calc'],
    status: 'same',
    note: ['Its operations are `+ - * / %` and their English names.', '运算为 `+ - * / %` 及其英文名。'],
    test: ['test/sandbox/calc.test.ts', 'sums and products of cents are exact'],
  },
  {
    members: ['::console'],
    status: 'same',
    note: ['Takes any number of arguments. 256 lines, 64 KiB a run.', '可传多个参数；每次运行最多 256 行、64 KiB。'],
    test: ['test/sandbox/console-and-dates.test.ts', 'lines come in the order of the calls around them'],
  },
  {
    members: ['::System'],
    status: 'differs',
    note: [
      '`Convert` (Base64), `Text.Encoding.UTF8`, `DateTime`, `Threading.Thread.Sleep`, `Guid`, `Math`, `Security.Cryptography` (MD5, SHA, HMAC). Nothing else of .NET.',
      '仅有 `Convert`（Base64）、`Text.Encoding.UTF8`、`DateTime`、`Threading.Thread.Sleep`、`Guid`、`Math`、`Security.Cryptography`（MD5、SHA、HMAC）。',
    ],
    test: ['test/sandbox/clr-system.test.ts', 'what needs the host asks it: ids, digests and the wait'],
  },
];
