import type { MemberRow, TestName } from './member-row.ts';

const ABSENT_TEST: TestName = [
  'test/sandbox/surface-members.test.ts',
  'what the table calls absent reads as undefined',
];

/** Members of the platform's `V8`. Add a row, or let `Family.*` cover it, when a host call or a member of the prelude is added. */
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
    note: [
      '`Id`, `Account`, `Name`, `Level`, `RoleIds`, `RoleName`, `_Roles` and `_IsAdmin` of whoever called over HTTP; a user has one role, and its id is its name.',
      'HTTP 调用者的 `Id`、`Account`、`Name`、`Level`、`RoleIds`、`RoleName`、`_Roles` 和 `_IsAdmin`；一个用户只有一个角色，角色 Id 就是其名称。',
    ],
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
    members: ['Dbs', 'Dbs.Open'],
    status: 'differs',
    note: [
      'MySQL, MariaDB and SQLite, by rows of `microi_database`; private addresses and schemas of other tenants are refused, and `Open` reaches listed servers alone: `docs/sql.md`. `microi_database` is hidden from scripts.',
      'MySQL、MariaDB 和 SQLite，来自 `microi_database`；内网地址和其他租户的库被拒绝，`Open` 只连接已列出的服务器：见 `docs/sql.zh-CN.md`。脚本看不到 `microi_database`。',
    ],
    test: [
      'test/patterns/dbs-patterns.test.ts',
      'reads and writes by key in any case, and writes stay when the run fails',
    ],
  },
  {
    members: ['Inbox.Once'],
    status: 'added',
    note: [
      'Runs a function once for a key, in the platform transaction: `docs/scripts.md`.',
      '对一个键只执行一次函数，在平台事务中：见 `docs/scripts.zh-CN.md`。',
    ],
    test: [
      'test/patterns/once-patterns.test.ts',
      'runs the function once for a key and an engine; every call in it joins, and the message goes with the commit',
    ],
  },
  {
    members: ['Header', 'FilesByteBase64'],
    status: 'differs',
    note: [
      'Of calls over HTTP; else `{}`. Cookies and tokens of this host are left out; a second file of one name gets ` (2)`.',
      'HTTP 调用时填写，其他时候为 `{}`。不含 cookie 和本主机的令牌；同名的第二个文件加 ` (2)`。',
    ],
    test: ['test/entry/entry.test.ts', 'headers, but never a token of this host or a cookie'],
  },
  {
    members: ['Form', 'OldForm', 'FormSubmitAction', 'TableModel', 'NotSaveField', 'RowIndex', 'CacheData'],
    status: 'same',
    note: [
      'In events of tables alone, else undefined. What is assigned to `Form` before a write is written; an `Insert` has its Id already.',
      '只在表事件中有值。写入前对 `Form` 的修改会被保存；`Insert` 时已有 Id。',
    ],
    test: ['test/patterns/table-event-patterns.test.ts', 'run around each write, may change it and may refuse it'],
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
    members: [
      'FormEngine.GetDiyTable',
      'FormEngine.GetDiyTableAsync',
      'FormEngine.GetDiyTableModel',
      'FormEngine.GetDiyTableModelAsync',
      'FormEngine.GetSysConfig',
      'FormEngine.GetSysConfigAsync',
      'FormEngine.GetSysMenu',
      'FormEngine.GetSysMenuAsync',
      'FormEngine.GetSysMenuModel',
      'FormEngine.GetSysMenuModelAsync',
      'FormEngine.GetFieldData',
      'FormEngine.GetFieldDataAsync',
    ],
    status: 'differs',
    note: [
      'A result at once, where the platform gives a promise: `await` works on both. Only the own tenant; secrets of `sys_config` are left out.',
      '直接返回结果（平台返回 Promise，`await` 两者都可用）。只限本租户；不含 `sys_config` 中的密码和密钥。',
    ],
    test: [
      'test/v8-api/form-engine-metadata.test.ts',
      'gives the designer’s row by name and by Id, and to the own tenant alone',
    ],
  },
  {
    members: ['AddTable', 'AddField', 'UptField', 'LoadNotDiyTable'].flatMap((name) => [
      `FormEngine.${name}`,
      `FormEngine.${name}Async`,
    ]),
    status: 'differs',
    note: [
      'Outside of the platform transaction only, which could not take it back. Reserved words are refused as names, a type changes to a wider one alone, and a column keeps its name.',
      '只能在平台事务之外执行（无法回滚）。不接受保留字作名称；类型只能改宽；列不能改名。',
    ],
    test: [
      'test/patterns/table-design-patterns.test.ts',
      'makes a table and its fields with the designer’s rows, and takes rows at once',
    ],
  },
  {
    members: ['FormEngine.SaveBatch', 'FormEngine.SaveBatchAsync'],
    status: 'added',
    note: ['The platform has it over HTTP alone.', '原平台只有 HTTP 接口。'],
    test: ['test/patterns/designed-field-patterns.test.ts', 'saves new and changed rows together or not at all'],
  },
  {
    members: ['FormEngine.*'],
    status: 'differs',
    note: [
      'An unknown column, operator or parameter is refused; the platform drops it and touches more rows. Table events run with `_InvokeType` `Client`, in the run’s platform transaction, around single rows.',
      '未知的列、运算符或参数会被拒绝（平台会丢弃它们，从而影响更多数据）。`_InvokeType` 为 `Client` 时在本次运行的平台事务中对单行触发表事件。',
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
    members: ['MongoDb.*'],
    status: 'differs',
    note: [
      'Without a MongoDB (`DbMongoConnection`, `mongoUrl`) documents are in the tenant’s database, and in its transaction while one is open; the platform’s never are. Ids may be any text. Names with `.` or a leading `$` are refused. `GetFormData` is Code 2 when there is none. Run against a peer of the wire protocol, not against a MongoDB server.',
      '没有 MongoDB（`DbMongoConnection`、`mongoUrl`）时文档保存在租户数据库中，事务打开时随事务提交或回滚（平台从不加入事务）。Id 可以是任意文本。含 `.` 或以 `$` 开头的字段名被拒绝。`GetFormData` 没有找到时为 Code 2。驱动经线路协议对端测试，未在 MongoDB 服务器上运行过。',
    ],
    test: ['test/contract/documents.contract.ts', 'finds what each _Where asks for, newest first'],
  },
  {
    members: ['MongoDb.NewId'],
    status: 'same',
    test: ['test/v8-api/mongo-db.test.ts', 'makes ids of 24 hexadecimal digits that rise with time'],
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
  {
    members: ['::setTimeout', '::clearTimeout'],
    status: 'same',
    note: [
      'A timer runs before the run is over, in its transaction; a callback that throws fails the run. At most 256 are pending.',
      '定时器在运行结束前、在同一事务中执行；回调抛出异常则本次运行失败。最多 256 个待执行。',
    ],
    test: ['test/sandbox/timers.test.ts', 'a timer runs after the script and before the result is final'],
  },
  {
    members: ['::JSON', '::Promise'],
    status: 'differs',
    note: [
      'The language’s own: `JSON.stringify` takes a replacer and an indent, and throws for a cycle.',
      '语言自带：`JSON.stringify` 支持 replacer 和缩进，遇到循环引用时抛出异常。',
    ],
    test: ['test/sandbox/outcomes.test.ts', 'a result is what JSON makes of it'],
  },
  {
    members: ['WF', 'LineValue', 'NextNodeId'],
    status: 'absent',
    note: ['There is no workflow engine, so there are no events of one.', '没有流程引擎，也就没有流程事件。'],
    test: ABSENT_TEST,
  },
  {
    members: ['TableData'],
    status: 'absent',
    note: ['Row filters see one row at a time, in `V8.Form`.', '行过滤事件每次只看到一行：`V8.Form`。'],
    test: ABSENT_TEST,
  },
  {
    members: ['IPHelper.*'],
    status: 'absent',
    note: ['Call a service that knows addresses by `V8.Http`.', '用 `V8.Http` 调用查询 IP 的服务。'],
    test: ABSENT_TEST,
  },
];
