/**
 * v8-engine-host: 脚本中可用的一切。What a script can use, and nothing else.
 *
 * 脚本是一个函数体：可以直接 `return` 和 `await`，没有 import、require、fetch、process、setInterval。平台其余成员见 docs/compatibility.zh-CN.md。
 * A script is a function body: top-level `return` and `await` work; there is no import, require, fetch, process, setInterval.
 *
 * 用法见 runtime-types/README.md。How to use it: runtime-types/README.md.
 */

/** 脚本的全部能力。Everything the platform offers to a script. */
declare const V8: V8Api;

/** 现在的本地时间文本。The local time now. Default format `yyyy-MM-dd HH:mm:ss`. */
declare function DateNow(format?: string): string;

/**
 * 日期转文本。A date as text; null for null, blank or invalid input.
 *
 * Tokens: `yyyy yy MM M dd d HH H hh h mm m ss s SSS q`.
 */
declare function DateFormat(value: Date | string | number | null | undefined, format?: string): string | null;

/**
 * 日期加减。Adds `count` units to a date; null for invalid input, throws for an unknown unit. Month, quarter and year
 * stop at the end of the month (31 Jan + 1 M is 28 or 29 Feb).
 *
 * @param unit `s` 秒 second, `n` 或 or `m` 分 minute, `h` 时 hour, `d` 天 day, `w` 周 week, `M` 月 month, `q` 季 quarter, `y` 年 year
 */
declare function DateAdd(
  start: Date | string | number | null | undefined,
  unit: 's' | 'n' | 'm' | 'h' | 'H' | 'd' | 'w' | 'M' | 'q' | 'y',
  count: number | string,
  format?: string,
): string | null;

/**
 * 精确的十进制运算。Arithmetic in decimals: `calc('+', 0.1, 0.2)` is 0.3, where `0.1 + 0.2` is not.
 *
 * 依次对所有数字运算；不是数字得到 NaN。From left to right; what is no number gives NaN, an unknown operation throws.
 * @example
 * var amount = calc('*', row.Price, row.Qty);
 */
declare function calc(
  op: '+' | '-' | '*' | '/' | '%' | 'add' | 'sub' | 'mul' | 'div' | 'mod',
  ...numbers: (number | string | null)[]
): number;

/**
 * .NET 中脚本常用的部分。The parts of .NET that scripts use; nothing else of it exists. 字节是数字数组。Bytes are arrays of
 * numbers.
 * @example
 * var bytes = System.Text.Encoding.UTF8.GetBytes('你好');
 * var packed = System.Convert.ToBase64String(bytes);
 */
declare const System: ClrSystem;

interface ClrSystem {
  readonly Convert: {
    /** 参数须为字节，否则抛出。Throws unless it gets bytes. */
    ToBase64String(bytes: ArrayLike<number>): string;
    /** 不是 Base64 时抛出。Throws for what is no Base64. */
    FromBase64String(text: string): number[];
  };
  readonly Text: {
    readonly Encoding: {
      readonly UTF8: { GetBytes(text: string): number[]; GetString(bytes: ArrayLike<number>): string };
    };
  };
  readonly DateTime: {
    /** 本地时间。Local time of the configured zone. */
    readonly Now: ClrDateTime;
    readonly UtcNow: ClrDateTime;
    /** 今天零点。Today at midnight. */
    readonly Today: ClrDateTime;
  };
  readonly Threading: {
    readonly Thread: {
      /** 等待（毫秒），期间占用沙箱和事务。Waits, keeping lane and transaction: prefer `@backoff`. */
      Sleep(ms: number): null;
    };
  };
  readonly Guid: { NewGuid(): ClrGuid };
  readonly Math: {
    readonly PI: number;
    readonly E: number;
    Abs(x: number): number;
    Floor(x: number): number;
    Ceiling(x: number): number;
    Truncate(x: number): number;
    /** 四舍六入五成双。Halves go to the even neighbour: Round(2.5) is 2. */
    Round(x: number, digits?: number): number;
    Max(a: number, b: number): number;
    Min(a: number, b: number): number;
    Pow(x: number, y: number): number;
    Sqrt(x: number): number;
    Sign(x: number): number;
    Exp(x: number): number;
    Log10(x: number): number;
  };
  readonly Security: {
    readonly Cryptography: {
      readonly MD5: { Create(): ClrHash };
      readonly SHA1: { Create(): ClrHash };
      readonly SHA256: { Create(): ClrHash };
      readonly SHA512: { Create(): ClrHash };
      readonly HMACMD5: new (key: ArrayLike<number>) => ClrHash;
      readonly HMACSHA1: new (key: ArrayLike<number>) => ClrHash;
      readonly HMACSHA256: new (key: ArrayLike<number>) => ClrHash;
      readonly HMACSHA512: new (key: ArrayLike<number>) => ClrHash;
    };
  };
}

interface ClrDateTime {
  readonly Year: number;
  readonly Month: number;
  readonly Day: number;
  readonly Hour: number;
  readonly Minute: number;
  readonly Second: number;
  readonly Millisecond: number;
  /** 默认 yyyy-MM-dd HH:mm:ss；毫秒 fff。Tokens of DateFormat; milliseconds are `fff`. */
  ToString(format?: string): string;
  AddSeconds(n: number): ClrDateTime;
  AddMinutes(n: number): ClrDateTime;
  AddHours(n: number): ClrDateTime;
  AddDays(n: number): ClrDateTime;
  AddMonths(n: number): ClrDateTime;
  AddYears(n: number): ClrDateTime;
}

/** 写入列或消息时成为文本。Becomes text in a column or message; `ToString('N')` is without dashes. */
interface ClrGuid {
  ToString(format?: 'D' | 'N'): string;
}

interface ClrHash {
  ComputeHash(bytes: ArrayLike<number>): number[];
}

/**
 * 脚本结束后、结果生效前执行一次回调；最多 256 个待执行，回调抛出异常则本次运行失败。
 *
 * Runs a callback once, after the script and before its run is over, in its transaction; the result was taken before. At
 * most 256 are pending. A callback that throws fails the run; a run that failed drops its timers. Waiting counts as wall
 * time, not CPU.
 * @example
 * await new Promise(function (resolve) { setTimeout(resolve, 200); });
 */
declare function setTimeout(callback: (...values: any[]) => any, ms?: number | string, ...values: any[]): number;

/** 取消 setTimeout。Cancels a timer. */
declare function clearTimeout(id?: number | string): void;

/** 写入系统日志（sys_log，每次运行最多 256 行、64 KiB）。Goes to the tenant's system log: 256 lines, 64 KiB a run. */
declare const console: V8Console;

interface V8Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}

/**
 * 租户的表：表名 -> 行的列。由 `v8host types` 生成的文件补充；没有它时任何表名、列名都可以。
 *
 * The tenant's tables, name to columns. The file that `v8host types` makes adds them; without it every name is taken. A
 * table of its own may be added by hand, also in a file of your own.
 * @example
 * interface V8Tables { shop_order: { Id: string; Qty: number } }
 */
interface V8Tables {}

/** 租户的队列名。Names of the tenant's queues. @example interface V8Queues { 'made-elsewhere': unknown } */
interface V8Queues {}

/** 租户的接口引擎 Key。Keys of the tenant's engines. @example interface V8Engines { 'stock-show': unknown } */
interface V8Engines {}

/** 已知的名称；一个都不知道时为任意文本。The names that are known, any text where none is. */
type V8NameOf<Known> = [keyof Known] extends [never] ? string : keyof Known & string;
type V8TableName = V8NameOf<V8Tables>;
type V8QueueName = V8NameOf<V8Queues>;
type V8EngineKey = V8NameOf<V8Engines>;

/** 表的一行。A row of the table. */
type V8RowOf<T> = T extends keyof V8Tables ? V8Tables[T] : V8Row;
/** 表的列名。A column of the table. */
type V8Column<T> = T extends keyof V8Tables
  ? keyof V8Tables[T] & string
  : [keyof V8Tables] extends [never]
    ? string
    : any;
/** 要写入的列值；不能是对象或数组。Values to write, never objects or lists. */
type V8Columns<T> = T extends keyof V8Tables ? { [C in keyof V8Tables[T]]?: V8SqlValue } : { [column: string]: any };

/**
 * 脚本的结果；消息处理只有 `Code: 1` 才确认，其余都会重试或进入死信。
 *
 * What a script may return. A message is acknowledged by `Code: 1` alone, and an object without `Code` rolls back; text,
 * lists and numbers are answers over HTTP.
 * @example
 * return { Code: 1, Data: { Id: added.Data.Id } };
 */
type V8Answer = V8AnswerObject | string | number | boolean | readonly any[] | null | undefined;

interface V8AnswerObject {
  Code: number | string | null;
  Data?: any;
  Msg?: string | null;
  DataCount?: number | null;
  DataAppend?: any;
  [extra: string]: any;
}

interface V8Api {
  /**
   * 输入参数。The input.
   *
   * 队列消息 of a message: `V8.Param.Message` 是信封 is the envelope, `V8.Param.Message.Message` 是业务数据 is the payload,
   * `V8.Param.EventId` 是事件号 is the event's id.
   *
   * HTTP、CLI 或 ApiEngine.Run 调用 of a call: 调用方传入的对象 is the caller's object.
   *
   * 超过 ±(2^53-1) 的整数以文本给出。Integers beyond ±(2^53-1) arrive as text.
   */
  readonly Param: any;
  /** 当前租户。The tenant this run belongs to; a script can use no other. */
  readonly OsClient: string;
  /** 当前用户；消息处理中为 {}。The calling user; `{}` in runs of a message. */
  readonly CurrentUser: V8User;
  /** 事件名；普通接口引擎为空。Name of the event; empty for ordinary engines. */
  readonly EventName: string;
  /** 本接口引擎的 Key。This engine's own key. */
  readonly ApiEngineKey: string;
  /** `Client`：来自 HTTP 或 CLI；`Server`：消息或其他引擎。`Client` over HTTP and CLI, `Server` by a message or engine. */
  readonly InvokeType: 'Client' | 'Server';
  /**
   * 本次运行的限额；见 docs/limits.zh-CN.md。The limits of this run; see docs/limits.md.
   * @example if (rows.length > 500 && V8.Limits.TimeoutSeconds < 60) return { Code: 0, Msg: 'split the batch' };
   */
  readonly Limits: V8Limits;
  /** CurrentUser 的旧名。An older name of CurrentUser. */
  readonly CurrentSysUser: V8User;
  /** 请求头。Headers of the request; `{}` where there was none. */
  readonly Header: { readonly [name: string]: string };
  /** 上传的文件：文件名 -> Base64。Uploaded files by name, as Base64; `{}` where there were none. */
  readonly FilesByteBase64: { readonly [name: string]: string };
  /**
   * 表事件的当前行，写入前的修改会被保存；行过滤事件中为当前行，修改只影响返回结果。
   *
   * The row of a table event (EventName FormSubmitBefore, FormSubmitAfter, DataFilter). What is assigned to it before
   * the write is written; in the row filter it is the row that the reader gets. Undefined outside of table events.
   * @example if (V8.Form.Qty < 0) return { Code: 0, Msg: 'no negative stock' };
   */
  Form?: V8Row;
  /** 修改、删除前的行；新增时为 {}。The row before an update or delete; `{}` for an insert. */
  readonly OldForm?: V8Row;
  /** 表事件中的动作。What is done to the row. */
  readonly FormSubmitAction?: 'Insert' | 'Update' | 'Delete';
  /** 本表在 diy_table 中的行。The table's row of diy_table. */
  readonly TableModel?: V8Row;
  /** 写入前事件可赋值：不保存这些列。A before event may name columns that are not to be written. */
  NotSaveField?: string[];
  /** 行过滤事件中的行号，从 0 开始。Number of the row in the row filter, from 0. */
  readonly RowIndex?: number;
  /** 行过滤事件中各行共用的对象。Shared by all rows of one read in the row filter. */
  readonly CacheData?: { [name: string]: any };
  /** MQTT 事件（V8.EventName 为其名称），以及向设备发布。The MQTT event, whose name is V8.EventName, and the way to devices. */
  readonly MQTT: V8Mqtt;
  /**
   * 租户设置（sys_config）。The tenant's settings. 密码和密钥列不会出现；脚本需要的放进 ServerPrivateSettings。
   *
   * Columns of passwords and keys are left out: what a script needs of them belongs into `ServerPrivateSettings` (JSON
   * text of an object in sys_config). Read from the host at first use, at most 5 seconds old; changes stay in this run.
   * @example
   * var secret = V8.SysConfig.ServerPrivateSettings['Wx.AppSecret'];
   */
  readonly SysConfig: V8SysConfig;
  /**
   * 租户登记行（sys_osclients），不含密码、密钥和连接信息。The tenant's row of the registry without passwords, keys and
   * connections.
   */
  readonly OsClientModel: { readonly [column: string]: any };
  /** OsClientModel 的旧名。An older name of OsClientModel. */
  readonly ClientModel: { readonly [column: string]: any };
  /**
   * 放租户自己的函数，通常由 GlobalServerV8Code 定义。Holds functions of the tenant's own, mostly put there by
   * GlobalServerV8Code, which runs before each script.
   */
  readonly Action: V8Action;
  /** 旧式返回值：仅当脚本没有 return 值时使用。Older way to give the result: counts only when nothing is returned. */
  Result: V8Answer | { RedirectUrl: string };
  /**
   * 平台事务。作为最后一个参数传入即加入事务；脚本返回 {Code:1} 才提交。
   *
   * The platform transaction. Pass it last to take part in it; it commits only when the script returns `{Code: 1}`.
   * In runs of a message everything is in it already.
   * @example
   * var r = V8.FormEngine.UptFormData('shop_order', { Id: id, State: 'paid' }, V8.DbTrans);
   */
  readonly DbTrans: V8Transaction;
  /**
   * 租户数据库。用 SQL 读写；不加入平台事务（消息处理中除外）。
   *
   * The tenant's database by SQL. Each statement commits by itself, except in runs of a message, where everything is in
   * the platform transaction.
   */
  readonly Db: V8Sql;
  /** 只读查询，看得到本次运行写入的数据。The same for reads only; it sees what the run itself wrote. */
  readonly DbRead: V8Sql;
  /**
   * 其他数据库：microi_database 中启用的行，按 DbKey 取（不区分大小写）。The tenant's other databases, by DbKey of the enabled rows of
   * microi_database, in any case.
   *
   * 不在平台事务中，也不受收件箱保护：消息重试时会重复执行。Outside of the platform transaction and of the inbox: what is written
   * there stays when the run fails, and comes again when its message does. 连接信息不会到达脚本 connections never reach a script.
   * @example
   * var rows = V8.Dbs.Erp.FromSql('select Sku, Qty from stock where Sku = @sku').AddInParameter('sku', 'P-1').ToArray();
   */
  readonly Dbs: V8Databases;
  readonly FormEngine: V8FormEngine;
  readonly ApiEngine: V8ApiEngine;
  readonly MQ: V8Mq;
  readonly Inbox: V8Inbox;
  readonly Http: V8Http;
  readonly Cache: V8Cache;
  readonly MongoDb: V8MongoDb;
  readonly Method: V8Method;
  readonly EncryptHelper: V8EncryptHelper;
  readonly Base64: V8Base64;
}

/** 一次运行的限额；null 表示本平台不按此计数。The limits of a run; null is what this host does not count. */
interface V8Limits {
  /** 墙钟时间，含平台调用。Wall time, host calls included. */
  readonly TimeoutSeconds: number;
  readonly CpuSeconds: number;
  /** V8 堆。V8 heap. */
  readonly LimitMemoryMB: number;
  /** 沙箱进程的内存。Memory of the sandbox process. */
  readonly CallTreeLimitMemoryMB: number;
  readonly NestedApiDepthLimit: number;
  /** 根引擎为 1。1 for the root engine. */
  readonly CurrentDepth: number;
  /** 由消息触发时为 true。True when a message started the run. */
  readonly IsBackgroundTask: boolean;
  readonly HostCalls: number;
  readonly ResultBytes: number;
  readonly LogLines: number;
  readonly MaxStatements: null;
  readonly LimitRecursion: null;
  readonly IsolateNestedApiMemory: true;
  readonly ResidentMemoryGuardOnly: false;
  readonly UnlimitedRuntime: false;
  readonly MemoryAccounting: 'LiveHeapBytes';
}

interface V8SysConfig {
  readonly ServerPrivateSettings: { readonly [key: string]: any };
  readonly [column: string]: any;
}

interface V8Action {
  /**
   * 现在，yyyy-MM-dd HH:mm:ss。The local time now.
   * @example
   * row.PaidAt = V8.Action.GetDateTimeNow();
   */
  GetDateTimeNow(): string;
  /** Unix 秒。Unix time in seconds. */
  GetTimestamp(): number;
  /** 等待（毫秒），期间占用沙箱和事务。Waits, keeping lane and transaction: prefer `@backoff`. */
  Sleep(ms: number): null;
  [name: string]: any;
}

interface V8User {
  readonly Id?: string;
  readonly Account?: string;
  readonly Name?: string;
  /** 9999 以上是管理员。9999 or more is an administrator. */
  readonly Level?: number;
  readonly RoleIds?: readonly string[];
  readonly RoleName?: string;
  readonly _IsAdmin?: boolean;
  readonly [field: string]: any;
}

/** 一条 SQL：MySQL 写法，只能是一条 SELECT、INSERT、UPDATE、DELETE、REPLACE 或 WITH。 */
/** 扩展库的集合；没有的键为 undefined。A key that is not there reads as undefined. */
interface V8Databases {
  /**
   * 按连接串打开，只限运维在 outbound 中列出的服务器，运行结束时关闭。Opens by a connection string: servers that the operator listed
   * (outbound.allow, outbound.tenants) alone; closed with the run. type: MySql、MariaDB、Sqlite.
   * @example
   * var n = V8.Dbs.Open('Sqlite', 'Data Source=import').FromSql('select count(*) from bin').ToInt();
   */
  Open(type: string, connection: string): V8Database;
  readonly [key: string]: any;
}

interface V8Database {
  /** 每条语句自行提交。Each statement commits by itself; see V8Sql. */
  FromSql(sql: string): V8SqlSection;
  /** 开始事务，须由脚本 Commit。Begins a transaction that the script commits; one that is left open is rolled back. */
  BeginTransaction(): V8DatabaseTransaction;
}

/** 未 Commit 就结束的运行会回滚。Ended by the script: a run that ends before Commit undoes it. */
interface V8DatabaseTransaction {
  FromSql(sql: string): V8SqlSection;
  Commit(): void;
  Rollback(): void;
  /** 同 Rollback；已结束则不做任何事。As Rollback; nothing when it has ended. */
  Close(): void;
  Dispose(): void;
}

interface V8Sql {
  /**
   * 开始一条语句，值用 @名称 写，再由 AddInParameter 给出；失败时抛出 Error（带 ReasonCode）。
   *
   * One statement in MySQL's dialect. Never build it from values: write `@name` and give the value by AddInParameter.
   * Failures are thrown as an Error with `ReasonCode`. Refused: DDL, transaction words, several statements, schema names,
   * variables, tables of the platform. In runs of a message let the statement itself check what was read.
   * @example
   * var n = V8.Db.FromSql('update bin set Qty = Qty - @n where Id = @id and Qty >= @n')
   *   .AddInParameter('@n', 3).AddInParameter('@id', V8.Param.BinId)
   *   .ExecuteNonQuery();
   * if (n === 0) return { Code: 0, Msg: 'too few' };
   */
  FromSql(sql: string): V8SqlSection;
}

/** 参数值。A parameter's value. */
type V8SqlValue = string | number | boolean | bigint | Date | null | undefined;

/** 一条等待执行的 SQL。A statement that waits for its values and its end. Every end also as `…Async`, with a promise. */
interface V8SqlSection {
  /**
   * 给参数赋值；名称可带或不带 @。数组用于 `IN (@ids)`。undefined 即 NULL，Date 为本地时间文本。
   *
   * Gives a parameter its value, and returns the same section. A list is for `IN (@ids)`; undefined is NULL; a Date is
   * its local text.
   */
  AddInParameter(name: string, value: V8SqlValue | V8SqlValue[]): this;
  AddInParameter(name: string, type: any, value: V8SqlValue): this;
  AddInParameter(name: string, type: any, size: any, value: V8SqlValue): this;
  /** 同 AddInParameter（参数值从不写入日志）。The same: no value of a parameter is ever logged. */
  AddSensitiveInParameter(name: string, value: V8SqlValue | V8SqlValue[]): this;
  AddSensitiveInParameter(name: string, type: any, value: V8SqlValue): this;
  AddSensitiveInParameter(name: string, type: any, size: any, value: V8SqlValue): this;
  AddParameter(...parameters: { ParameterName: string; Value: V8SqlValue }[]): this;
  /** 秒。超时的语句以 SQL_TIMEOUT 失败，事务继续。Seconds; a statement that takes longer fails with SQL_TIMEOUT, its transaction goes on. */
  SetCommandTimeout(seconds: number): this;
  /** 所有行；没有时为 []。All rows; without LIMIT more than 10,000 fail, with it 100,000. */
  ToArray(): V8Row[];
  ToArrayAsync(): Promise<V8Row[]>;
  ToList(): V8Row[];
  ToListAsync(): Promise<V8Row[]>;
  /** 第一行或 null。The first row or null. */
  First(): V8Row | null;
  FirstAsync(): Promise<V8Row | null>;
  ToFirst(): V8Row | null;
  ToFirstAsync(): Promise<V8Row | null>;
  ToFirstDefault(): V8Row | null;
  ToFirstDefaultAsync(): Promise<V8Row | null>;
  /** 第一行第一列，没有时为 null。First column of the first row, null when there is none. */
  ToScalar(): any;
  ToScalarAsync(): Promise<any>;
  /** 整数；没有时为 0。As a whole number; 0 when there is none. */
  ToInt(): number;
  ToIntAsync(): Promise<number>;
  /** 整数；超过 2^53-1 时为文本。As a whole number; text beyond 2^53-1. */
  ToLong(): number | string;
  ToLongAsync(): Promise<number | string>;
  ToDecimal(): number;
  ToDecimalAsync(): Promise<number>;
  /** 文本；没有时为空文本。As text; empty when there is none. */
  ToStringValue(): string;
  ToStringValueAsync(): Promise<string>;
  /** 有行，且第一列不是 0 或空。There is a row and its first value is neither 0 nor blank. */
  Exists(): boolean;
  ExistsAsync(): Promise<boolean>;
  /** INSERT、UPDATE、DELETE、REPLACE 匹配的行数。Matched rows of a write. */
  ExecuteNonQuery(): number;
  ExecuteNonQueryAsync(): Promise<number>;
}

/** 由平台提交或回滚；前四个方法不做任何事。Ended by the platform alone: the first four methods do nothing but warn. */
interface V8Transaction {
  Commit(): void;
  Rollback(): void;
  Close(): void;
  Dispose(): void;
  /** 在平台事务里执行 SQL。SQL in the platform transaction; see V8Sql. */
  FromSql(sql: string): V8SqlSection;
}

/** 一行数据：列名 -> 值。日期为文本，布尔为 0/1。A row: column to value. Dates are text, booleans 0 and 1. */
interface V8Row {
  [column: string]: any;
}

/** 成功。Success. */
interface V8Succeeded<T> {
  Code: 1;
  Data: T;
  Msg?: string | null;
  DataAppend?: any;
}

/** 没有找到这一行（只有 GetFormData 返回）。The row does not exist; only GetFormData answers it. */
interface V8NotFound {
  Code: 2;
  Data: null;
  Msg: string;
  DataAppend?: any;
}

/** 失败：Msg 说明原因和改法，ReasonCode 是固定的错误码。Failure: Msg says why and what to change. */
interface V8Failed<T = null> {
  Code: 0;
  Data: T;
  Msg: string;
  /** 见 docs/errors.md。See docs/errors.md. */
  ReasonCode: string;
  DataAppend?: any;
}

/** 列表：DataCount 是分页前的总行数。A list; DataCount is the total before paging. */
interface V8List<Row = V8Row> extends V8Succeeded<Row[]> {
  DataCount: number;
}

/** 更新、删除：DataCount 是匹配的行数。An update or delete; DataCount is the number of matched rows. */
interface V8Affected extends V8Succeeded<V8Row | null> {
  DataCount: number;
}

type V8Value = string | number | boolean | null | undefined;

type V8Operator =
  | '='
  | '=='
  | 'Equal'
  | '<>'
  | '!='
  | 'NotEqual'
  | '>'
  | '>='
  | '<'
  | '<='
  | 'In'
  | 'NotIn'
  | 'Like'
  | 'NotLike'
  | 'StartLike'
  | 'NotStartLike'
  | 'EndLike'
  | 'NotEndLike';

type V8WhereValue = V8Value | V8Value[];
type V8Glue = 'AND' | 'OR' | 'And' | 'Or' | 'and' | 'or';

/**
 * 一个条件：[列, 运算符, 值]，前面可加 'AND'、'OR' 和 '('，后面可加 ')'；也可写成对象。
 *
 * One condition, with `'AND'` or `'OR'` and `'('` in front and `')'` behind where needed, or as an object. AND binds
 * tighter than OR.
 *
 * - null 即 IS NULL（`<>` 和 NotIn 为 IS NOT NULL）。null means IS NULL, with `<>` and `NotIn` IS NOT NULL.
 * - 列、运算符或值不对时整个调用被拒绝，不会被忽略。An unknown column or operator and a value that the column cannot
 *   hold are refused; the original platform drops such a condition and reads or writes more rows.
 * - Like 类自动加 %，值里的 % 和 _ 仍是通配符；Like '' 匹配所有非空行。The Like operators add the wildcards; `%` and `_`
 *   in the value stay wildcards. `Like ''` matches every row that has a value: check the text before a write.
 * - In [] 和 NotIn [] 都不匹配任何行。`In []` and `NotIn []` both match nothing.
 * @example
 * var _Where = [
 *   ['State', '=', 'new'],
 *   ['AND', '(', 'Qty', '>', 10],
 *   ['OR', 'Urgent', '=', 1, ')']
 * ];
 */
type V8Condition<T = string> =
  | [column: V8Column<T>, operator: V8Operator, value: V8WhereValue]
  | [column: V8Column<T>, operator: V8Operator, value: V8WhereValue, close: ')']
  | [before: V8Glue | '(', column: V8Column<T>, operator: V8Operator, value: V8WhereValue]
  | [before: V8Glue | '(', column: V8Column<T>, operator: V8Operator, value: V8WhereValue, close: ')']
  | [glue: V8Glue, open: '(', column: V8Column<T>, operator: V8Operator, value: V8WhereValue]
  | [glue: V8Glue, open: '(', column: V8Column<T>, operator: V8Operator, value: V8WhereValue, close: ')']
  | [open: '(', glue: V8Glue, column: V8Column<T>, operator: V8Operator, value: V8WhereValue]
  | [open: '(', glue: V8Glue, column: V8Column<T>, operator: V8Operator, value: V8WhereValue, close: ')']
  | V8ConditionObject<T>;

/** 条件的旧写法。The older form of a condition. */
interface V8ConditionObject<T = string> {
  Name: V8Column<T>;
  Type: V8Operator;
  /** 缺省为 null。Absent means null. */
  Value?: V8WhereValue;
  AndOr?: V8Glue | '';
  GroupStart?: boolean | 0 | 1;
  GroupEnd?: boolean | 0 | 1;
  /** 只能是本表。Only the table itself. */
  FormEngineKey?: string;
}

/** 各方法共有。What every FormEngine parameter may hold. */
interface V8FormParam {
  /** `Client` 触发表事件，默认 `Server`。`Client` fires the table's events; the default is `Server`. */
  _InvokeType?: 'Client' | 'Server';
  /** 明确指定是否触发表事件。Says so explicitly. */
  _RunV8Event?: '0' | '1';
  /** 表名；写在参数里时用。The table's name, when it is not the first argument. */
  FormEngineKey?: string;
  /** `en` 英文，其余中文。Language of Msg. */
  _Lang?: string;
}

interface V8ReadBase<T> extends V8FormParam {
  Id?: string | number | null;
  Ids?: (string | number)[];
  /** 条件数组，全部须成立。All of them must hold. */
  _Where?: V8Condition<T>[] | string | false | null;
  /** 只读这些列。Only these columns. */
  _SelectFields?: V8Column<T>[];
  /** 不读这些列。All but these columns. */
  _SelectNotFields?: V8Column<T>[];
  _OrderBy?: V8Column<T>;
  /** 只有 DESC 为降序。Only DESC is descending. */
  _OrderByType?: string;
  /** 多列排序，例如 {State: 'asc', CreateTime: 'desc'}。Several columns, in this order. */
  _OrderBys?: { [column in V8Column<T>]?: string };
  /** 也读已删除（IsDeleted=1）的行。Also rows with IsDeleted = 1. */
  _IsContainDeleted?: boolean | 0 | 1;
  /** 只读回收站。Only the recycle bin. */
  IsDeleted?: boolean | 0 | 1;
  /** 在所有文本列中模糊搜索。Rows with this text in any text column. */
  _Keyword?: string;
}

/** 未知的表可带任何键。What else a parameter may hold where the table is not known. */
type V8OtherKeys<T> = T extends keyof V8Tables ? unknown : { [other: string]: any };

type V8ReadParam<T = string> = V8ReadBase<T> & V8OtherKeys<T>;
type V8ListParam<T = string> = V8ListBase<T> & V8OtherKeys<T>;
type V8TreeParam<T = string> = V8TreeBase<T> & V8OtherKeys<T>;

interface V8ListBase<T> extends V8ReadBase<T> {
  /** 从 1 开始。From 1. */
  _PageIndex?: number | string;
  /** 不分页时最多 10,000 行，超过则失败。Without it a list of more than 10,000 rows fails. */
  _PageSize?: number | string;
  /** 前 N 行。The first N rows. */
  _Top?: number | string;
  /** 只要总数。Only the total. */
  _OnlyDataCount?: boolean | 0 | 1;
}

/** 树形读取。Reading a tree. */
interface V8TreeBase<T> extends V8ListBase<T> {
  /** 只读此行以下。Only what is below this row. */
  _ParentId?: string | number | null;
  /** _ParentId 的别名。Alias of _ParentId. */
  _ParentValue?: string | number | null;
  /** 只读一层，每行带 _HasChildren。One level, each row with `_HasChildren`. */
  _TreeLazy?: boolean | 0 | 1;
}

/** 列值直接写，或写在 _FormData 里；不是列的键会被忽略。Column values, flat or in _FormData; other keys are dropped. */
interface V8WriteBase<T> extends V8FormParam {
  Id?: string | number | null;
  _FormData?: V8Columns<T>;
  _RowModel?: V8Columns<T>;
  /** 不写这些列。Columns not to write. */
  _NotSaveField?: V8Column<T>[];
}

type V8WriteParam<T = string> = V8WriteBase<T> & V8Columns<T>;
type V8UpdateParam<T = string> = V8UpdateBase<T> & V8Columns<T>;
type V8ByWhereParam<T = string> = V8ByWhereBase<T> & V8Columns<T>;

interface V8UpdateBase<T> extends V8WriteBase<T> {
  /** 没有匹配的行时改为新增。Insert when no row matches. */
  _NoLineForAdd?: boolean | 0 | 1;
  /** 从回收站恢复：与 IsDeleted: 0 一起用。Restores from the recycle bin, together with `IsDeleted: 0`. */
  _IsTrashRestore?: boolean | 0 | 1;
}

interface V8ByWhereBase<T> extends V8UpdateBase<T> {
  /** 必填。Required. */
  _Where: V8Condition<T>[] | string;
  _IsContainDeleted?: boolean | 0 | 1;
}

interface V8DeleteParam extends V8FormParam {
  Id?: string | number | null;
  Ids?: (string | number)[];
}

/** 批量的结果：失败时 DataAppend.RowIndex 是出错的行（从 0 开始）。A failed batch names its row, from 0. */
interface V8BatchFailed extends V8Failed {
  DataAppend?: { RowIndex: number };
}

/** 新增一批：Data 是各行的 Id。Data has the rows' Ids in order. */
interface V8BatchAdded extends V8Succeeded<string[]> {
  DataCount: number;
}

/** 参数，按种类。Parameters by their kind. */
interface V8Params<T> {
  read: V8ReadParam<T>;
  list: V8ListParam<T>;
  tree: V8TreeParam<T>;
  add: V8WriteParam<T>;
  update: V8UpdateParam<T>;
  where: V8ByWhereParam<T>;
  delete: V8DeleteParam;
}

/** 结果，按种类。Answers by their kind. */
interface V8Answers<T> {
  row: V8RowAnswer<V8RowOf<T>>;
  list: V8ListAnswer<V8RowOf<T>>;
  tree: V8ListAnswer<V8TreeRow<T>>;
  add: V8AddAnswer<V8RowOf<T>>;
  write: V8WriteAnswer;
}

type V8TreeRow<T> = V8RowOf<T> & { _Child?: V8TreeRow<T>[]; _HasChildren?: any };

/** 表名写在参数里；TableId 也可以是表的 Id。The table inside the parameters; TableId may be its Id. */
type V8InTable<T> = { FormEngineKey: T } | { TableName: T } | { TableId: string };

/** 表名可写在前面，也可写在参数里。The table stands first or inside the parameters. */
interface V8WithTable<P extends keyof V8Params<string>, A extends keyof V8Answers<string>> {
  <T extends V8TableName>(table: T, param: V8Params<T>[P], trans?: V8Transaction): V8Answers<T>[A];
  <T extends V8TableName>(param: V8InTable<T> & V8Params<NoInfer<T>>[P], trans?: V8Transaction): V8Answers<T>[A];
}

interface V8WithTableAsync<P extends keyof V8Params<string>, A extends keyof V8Answers<string>> {
  <T extends V8TableName>(table: T, param: V8Params<T>[P], trans?: V8Transaction): Promise<V8Answers<T>[A]>;
  <T extends V8TableName>(
    param: V8InTable<T> & V8Params<NoInfer<T>>[P],
    trans?: V8Transaction,
  ): Promise<V8Answers<T>[A]>;
}

interface V8WithTableOnly<P extends keyof V8Params<string>, A extends keyof V8Answers<string>> {
  <T extends V8TableName>(table: T, param?: V8Params<T>[P] | null, trans?: V8Transaction): V8Answers<T>[A];
  <T extends V8TableName>(table: T, trans: V8Transaction): V8Answers<T>[A];
  <T extends V8TableName>(param: V8InTable<T> & V8Params<NoInfer<T>>[P], trans?: V8Transaction): V8Answers<T>[A];
}

interface V8WithTableOnlyAsync<P extends keyof V8Params<string>, A extends keyof V8Answers<string>> {
  <T extends V8TableName>(table: T, param?: V8Params<T>[P] | null, trans?: V8Transaction): Promise<V8Answers<T>[A]>;
  <T extends V8TableName>(table: T, trans: V8Transaction): Promise<V8Answers<T>[A]>;
  <T extends V8TableName>(
    param: V8InTable<T> & V8Params<NoInfer<T>>[P],
    trans?: V8Transaction,
  ): Promise<V8Answers<T>[A]>;
}

/** 批量的每一行自带表名。Each row of a batch names its table. */
type V8RowInTable<P extends keyof V8Params<string>> = {
  [T in V8TableName]: V8InTable<T> & V8Params<T>[P];
}[V8TableName];

interface V8WithRows<P extends keyof V8Params<string>, R> {
  (rows: V8RowInTable<P>[], trans?: V8Transaction): R;
  /** 各行同表时。When all rows are of one table. */
  <T extends V8TableName>(table: T, rows: V8Params<T>[P][], trans?: V8Transaction): R;
}

type V8RowAnswer<Row = V8Row> = V8Succeeded<Row> | V8NotFound | V8Failed;
type V8ListAnswer<Row = V8Row> = V8List<Row> | V8Failed;
type V8AddAnswer<Row = V8Row> = V8Succeeded<Row> | V8Failed;
type V8WriteAnswer = V8Affected | V8Failed;
type V8BatchAnswer = V8Affected | V8BatchFailed;
type V8BatchAddAnswer = V8BatchAdded | V8BatchFailed;

/**
 * 数据表读写。Rows of the tenant's tables. 每个方法都有返回 Promise 的 …Async。Each method has a twin `…Async` with a promise.
 *
 * - 失败是 `Code: 0` 加 Msg，不抛异常。Failures are `Code: 0` with Msg, never exceptions.
 * - 列值不能是对象或数组：先 JSON.stringify。A column value is no object or array: JSON.stringify it first.
 * - 最后一个参数 V8.DbTrans 加入平台事务。`V8.DbTrans` as last argument joins the platform transaction.
 */
interface V8FormEngine {
  /**
   * 表在 diy_table 中的行（名称或 Id）。The table's row of diy_table, by name or Id; `{Name}` where the designer does not
   * know the table. Only the own tenant.
   * @example var isTree = V8.FormEngine.GetDiyTable('sys_dept').Data.IsTree;
   */
  GetDiyTable(nameOrId: string, osClient?: string, lang?: string): V8RowAnswer;
  GetDiyTableAsync(nameOrId: string, osClient?: string, lang?: string): Promise<V8RowAnswer>;
  /** 同 GetDiyTable。The same. */
  GetDiyTableModel(nameOrId: string, osClient?: string, lang?: string): V8RowAnswer;
  GetDiyTableModelAsync(nameOrId: string, osClient?: string, lang?: string): Promise<V8RowAnswer>;
  /** Data 同 V8.SysConfig。Data is V8.SysConfig. */
  GetSysConfig(osClient?: string, lang?: string): V8RowAnswer;
  GetSysConfigAsync(osClient?: string, lang?: string): Promise<V8RowAnswer>;

  /**
   * 菜单（sys_menu 中的行），按 Id 或 ModuleEngineKey。A menu's row of sys_menu, by Id or key; Code 2 when there is none.
   * @example var menu = V8.FormEngine.GetSysMenu('orders');
   */
  GetSysMenu(idOrKey: string, osClient?: string, lang?: string): V8RowAnswer;
  GetSysMenuAsync(idOrKey: string, osClient?: string, lang?: string): Promise<V8RowAnswer>;
  /** 同 GetSysMenu。The same. */
  GetSysMenuModel(idOrKey: string, osClient?: string, lang?: string): V8RowAnswer;
  GetSysMenuModelAsync(idOrKey: string, osClient?: string, lang?: string): Promise<V8RowAnswer>;
  /**
   * 字段的选项（diy_field 的 Data、KeyValueList）。The options of a field, as people typed them in. 来自 SQL 或接口引擎的选项
   * 会被拒绝 those of SQL or an engine are refused.
   * @example var states = V8.FormEngine.GetFieldData({ TableName: 'shop_order', Name: 'State' }).Data;
   */
  GetFieldData(field: V8FieldName): V8List<any> | V8Failed;
  GetFieldDataAsync(field: V8FieldName): Promise<V8List<any> | V8Failed>;

  /**
   * 建表（含固定列）并登记到 diy_table。Makes a table with the fixed columns, and its row of diy_table.
   *
   * 表结构的修改立即生效、不能回滚：在平台事务中（消息处理、使用 V8.DbTrans 之后）被拒绝。A change of tables takes effect at once
   * and cannot be taken back: it is refused in the platform transaction, so in runs of a message. `_OnlyCreateTable` 不登记
   * leaves the designer's row out.
   * @example
   * var t = V8.FormEngine.AddTable({ Name: 'diy_car', Description: 'Cars' });
   * if (t.Code === 1) V8.FormEngine.AddField({ TableName: 'diy_car', Name: 'Plate', Type: 'varchar(20)', Label: 'Plate' });
   */
  AddTable(table: { Name: string; _OnlyCreateTable?: V8Flag; [column: string]: any }): V8Designed;
  AddTableAsync(table: { Name: string; _OnlyCreateTable?: V8Flag; [column: string]: any }): Promise<V8Designed>;
  /**
   * 加列并登记到 diy_field。Adds a column, and its row of diy_field. 类型 types: varchar(N)、mediumtext、longtext、int、bigint、
   * decimal(P,S)、datetime。没有列的组件（Divider、Button 等）只登记 a component without a column has the row alone.
   * @example V8.FormEngine.AddField({ TableName: 'diy_car', Name: 'Seats', Type: 'int', Label: 'Seats', Component: 'NumberText' });
   */
  AddField(field: V8FieldDraft): V8Designed;
  AddFieldAsync(field: V8FieldDraft): Promise<V8Designed>;
  /**
   * 修改字段的登记；Type 只能改宽。Changes what the designer says; `Type` may let the column hold more, never less, so that no
   * stored value is lost. 不能改名 a column keeps its name.
   * @example V8.FormEngine.UptField({ TableName: 'diy_car', Name: 'Plate', Type: 'varchar(60)' });
   */
  UptField(field: Partial<V8FieldDraft>): V8Affected | V8Failed;
  UptFieldAsync(field: Partial<V8FieldDraft>): Promise<V8Affected | V8Failed>;
  /** 登记已有的表及其列。The designer's rows for a table that is there without them. */
  LoadNotDiyTable(table: { TableName: string }): V8Designed;
  LoadNotDiyTableAsync(table: { TableName: string }): Promise<V8Designed>;

  /**
   * 读一行（Id 和/或 _Where）。One row. Code 1 有 found, Code 2 没有 not there, Code 0 失败 failed.
   *
   * Code 2 不是失败：`!r.Code` 发现不了它，`r.Code !== 1` 才行。Code 2 is no failure: look for `Code !== 1`.
   * @example
   * var r = V8.FormEngine.GetFormData('shop_stock', { _Where: [['Sku', '=', 'P-1']] });
   * if (r.Code !== 1) return r;
   */
  GetFormData: V8WithTable<'read', 'row'>;
  GetFormDataAsync: V8WithTableAsync<'read', 'row'>;

  /**
   * 读多行；没有数据时 Code 1、DataCount 0。Several rows; none is Code 1 with DataCount 0.
   *
   * 不写 _PageSize 时最多 10,000 行，超过则失败。Without `_PageSize` more than 10,000 rows fail. 分页键带下划线
   * paging keys have an underscore: `PageIndex` and `PageSize` do nothing.
   * @example
   * var r = V8.FormEngine.GetTableData('shop_order', {
   *   _Where: [['State', '=', 'new']], _OrderBy: 'CreateTime', _OrderByType: 'DESC', _PageIndex: 1, _PageSize: 20
   * });
   */
  GetTableData: V8WithTableOnly<'list', 'list'>;
  GetTableDataAsync: V8WithTableOnlyAsync<'list', 'list'>;

  /**
   * 只数行数（DataCount）。The number of rows, in DataCount.
   * @example
   * var open = V8.FormEngine.GetTableDataCount('shop_order', { _Where: [['State', '<>', 'done']] }).DataCount;
   */
  GetTableDataCount: V8WithTableOnly<'list', 'list'>;
  GetTableDataCountAsync: V8WithTableOnlyAsync<'list', 'list'>;

  /**
   * 树形读取：下级在 _Child 中。A list as a tree: the rows below each are in `_Child`.
   *
   * 上级列取自表单的树形设置，没有则为 ParentId；上级不在结果中的行在最上层。The parent column is that of the form's tree
   * settings, else ParentId; a row whose parent is not in the result stands at the top.
   * @example
   * var r = V8.FormEngine.GetTableDataTree('sys_dept', { _OrderBy: 'Sort' });
   * // r.Data[0]._Child[0].Name
   */
  GetTableDataTree: V8WithTableOnly<'tree', 'tree'>;
  GetTableDataTreeAsync: V8WithTableOnlyAsync<'tree', 'tree'>;
  /** 旧名，同 GetTableDataTree。The older name. @deprecated GetTableDataTree */
  GetTableTree: V8WithTableOnly<'tree', 'tree'>;
  /** @deprecated GetTableDataTreeAsync */
  GetTableTreeAsync: V8WithTableOnlyAsync<'tree', 'tree'>;

  /**
   * 新增一行；Data 是含 Id、时间、用户的整行。Inserts a row; Data is the whole stored row.
   * @example
   * var r = V8.FormEngine.AddFormData('shop_order', { OrderId: 'A-1', State: 'new' }, V8.DbTrans);
   * if (r.Code !== 1) return r;
   */
  AddFormData: V8WithTable<'add', 'add'>;
  AddFormDataAsync: V8WithTableAsync<'add', 'add'>;

  /**
   * 按 Id 更新；_Where 不起作用。By Id; _Where has no effect here. 行不存在时 absent row: Code 1, DataCount 0.
   * @example
   * var r = V8.FormEngine.UptFormData('shop_order', { Id: id, State: 'done' });
   * if (r.DataCount === 0) return { Code: 0, Msg: 'the order is gone' };
   */
  UptFormData: V8WithTable<'update', 'write'>;
  UptFormDataAsync: V8WithTableAsync<'update', 'write'>;

  /**
   * 按条件更新。By condition: the way to change a row only if nobody changed it meanwhile (DataCount 0: somebody did).
   *
   * 没有条件则拒绝。Refused without a condition.
   * @example
   * var u = V8.FormEngine.UptFormDataByWhere('shop_stock', {
   *   Stock: stock - 1,
   *   _Where: [['Sku', '=', 'P-1'], ['Stock', '=', stock]]
   * });
   */
  UptFormDataByWhere: V8WithTable<'where', 'write'>;
  UptFormDataByWhereAsync: V8WithTableAsync<'where', 'write'>;

  /**
   * 按 Id 或 Ids 删除；_Where 不起作用。By Id or Ids; _Where has no effect here. 表有回收站时只标记 IsDeleted = 1。
   *
   * Where the table has a recycle bin (EnableTrash), the rows are marked instead of removed.
   * @example
   * V8.FormEngine.DelFormData('shop_order', { Ids: ['1', '2'] });
   */
  DelFormData: V8WithTable<'delete', 'write'>;
  DelFormDataAsync: V8WithTableAsync<'delete', 'write'>;

  /**
   * 按条件删除；没有条件则拒绝。By condition; refused without one.
   * @example
   * V8.FormEngine.DelFormDataByWhere('shop_item', { _Where: [['OrderId', '=', 'A-1']] }, V8.DbTrans);
   */
  DelFormDataByWhere: V8WithTable<'where', 'write'>;
  DelFormDataByWhereAsync: V8WithTableAsync<'where', 'write'>;

  /**
   * 批量新增，各行自带表名：全部成功或全部不写。Inserts rows of any tables, all or none. 一批最多 10,000 行 at most 10,000.
   * @example
   * var r = V8.FormEngine.AddTableData([
   *   { FormEngineKey: 'shop_item', Sku: 'P-1', Qty: 2 },
   *   { FormEngineKey: 'shop_note', Text: 'two pieces' }
   * ], V8.DbTrans);
   */
  AddTableData: V8WithRows<'add', V8BatchAddAnswer>;
  AddTableDataAsync: V8WithRows<'add', Promise<V8BatchAddAnswer>>;
  /** 同 AddTableData。The same. */
  AddFormDataBatch: V8WithRows<'add', V8BatchAddAnswer>;
  AddFormDataBatchAsync: V8WithRows<'add', Promise<V8BatchAddAnswer>>;

  /**
   * 批量更新，每行带表名和 Id：全部成功或全部不写。Updates rows by Id, all or none. 不存在的行不算失败。
   *
   * An absent row is no failure: DataCount says how many matched.
   * @example
   * V8.FormEngine.UptTableData([{ FormEngineKey: 'shop_item', Id: id, Qty: 3 }]);
   */
  UptTableData: V8WithRows<'update', V8BatchAnswer>;
  UptTableDataAsync: V8WithRows<'update', Promise<V8BatchAnswer>>;
  /** 同 UptTableData。The same. */
  UptFormDataBatch: V8WithRows<'update', V8BatchAnswer>;
  UptFormDataBatchAsync: V8WithRows<'update', Promise<V8BatchAnswer>>;

  /**
   * 批量删除，每行带表名和 Id。Deletes rows by Id, all or none.
   * @example
   * V8.FormEngine.DelTableData([{ FormEngineKey: 'shop_item', Id: id }]);
   */
  DelTableData: V8WithRows<'delete', V8BatchAnswer>;
  DelTableDataAsync: V8WithRows<'delete', Promise<V8BatchAnswer>>;
  /** 同 DelTableData。The same. */
  DelFormDataBatch: V8WithRows<'delete', V8BatchAnswer>;
  DelFormDataBatchAsync: V8WithRows<'delete', Promise<V8BatchAnswer>>;

  /**
   * 先新增 AddList，再更新 UptList：全部成功或全部不写。Inserts the rows of AddList, then updates those of UptList, all or none.
   * Data 为新增行的 Id。Data has the Ids of the inserted ones.
   * @example
   * V8.FormEngine.SaveBatch({ FormEngineKey: 'shop_item', AddList: [{ Sku: 'P-1' }], UptList: [{ Id: id, Qty: 3 }] }, V8.DbTrans);
   */
  SaveBatch<T extends V8TableName>(lists: V8Lists<T>, trans?: V8Transaction): V8BatchAddAnswer;
  SaveBatchAsync<T extends V8TableName>(lists: V8Lists<T>, trans?: V8Transaction): Promise<V8BatchAddAnswer>;
}

/** 行不写 FormEngineKey 时属于 FormEngineKey 表。Rows without a table of their own are of the one given here. */
interface V8Lists<T = string> {
  FormEngineKey?: T;
  AddList?: V8WriteParam<NoInfer<T>>[];
  UptList?: (V8UpdateParam<NoInfer<T>> & { Id: string | number })[];
  OsClient?: string;
}

type V8Flag = boolean | 0 | 1 | '0' | '1';
type V8Designed = V8Succeeded<{ Name: string; Id: string | null }> | V8Failed;

/** 表名（或 TableId）加字段名，或字段的 Id。A table with a field's name, or the field's Id. */
interface V8FieldName {
  TableName?: string;
  TableId?: string;
  FormEngineKey?: string;
  Name?: string;
  FieldName?: string;
  Id?: string;
  FieldId?: string;
  OsClient?: string;
}

/** 字段的定义；其他键写入 diy_field 的同名列。A field; other keys go into the columns of diy_field of their names. */
interface V8FieldDraft {
  TableName?: string;
  TableId?: string;
  Name: string;
  Type?: string;
  Label?: string;
  Component?: string;
  _OnlyCreateField?: V8Flag;
  [column: string]: any;
}

interface V8ApiEngine {
  /**
   * 运行本租户的另一个接口引擎，得到它的返回值（可能为 null）。Runs another engine of the tenant and gives its result,
   * which may be null. 参数成为它的 V8.Param。Its V8.Param is `param`.
   * 引擎可用 Key、Id 或 ApiAddress 指定。The engine is named by key, Id or address.
   *
   * 它出错时得到 `Code: 0`，不会抛出；事务由最外层脚本的结果决定。When it fails the answer is `Code: 0`, never a throw; the
   * outermost script's result decides the transaction, so pass a failure on. 参数中的 EventName 和 MQTT 成为它的 V8.EventName
   * 和 V8.MQTT。EventName and MQTT of the parameters become its own.
   * @example
   * var r = V8.ApiEngine.Run('stock-reserve', { Sku: 'P-1', Qty: 2 }, V8.DbTrans);
   * if (r && r.Code !== 1) return r;
   */
  Run(engineKey: V8EngineKey, param?: { [name: string]: any } | null, trans?: V8Transaction): any;
  Run(engineKey: V8EngineKey, trans: V8Transaction): any;
  Run(param: { ApiEngineKey: V8EngineKey; [name: string]: any }, trans?: V8Transaction): any;
  Run(
    param: { ApiAddress: string; [name: string]: any } | { Id: string; [name: string]: any },
    trans?: V8Transaction,
  ): any;

  /**
   * 同 Run，返回 Promise。As Run, with a promise.
   * @example
   * var r = await V8.ApiEngine.RunAsync('stock-reserve', { Sku: 'P-1' });
   */
  RunAsync(engineKey: V8EngineKey, param?: { [name: string]: any } | null, trans?: V8Transaction): Promise<any>;
  RunAsync(engineKey: V8EngineKey, trans: V8Transaction): Promise<any>;
  RunAsync(param: { ApiEngineKey: V8EngineKey; [name: string]: any }, trans?: V8Transaction): Promise<any>;
  RunAsync(
    param: { ApiAddress: string; [name: string]: any } | { Id: string; [name: string]: any },
    trans?: V8Transaction,
  ): Promise<any>;
}

interface V8Message {
  /** 逻辑队列名，例如 orders。The queue's name without prefix. */
  QueueName: V8QueueName;
  /** 业务数据，任意 JSON。The payload, any JSON. */
  Message: any;
  /**
   * 事件号：同一个 EventId 只生效一次；缺省时自动生成。重复发送请用同一个。
   *
   * The same EventId takes effect once; one is made when absent. Send again with the same one.
   */
  EventId?: string | null;
  /** 只能是自己的租户。Only the own tenant. */
  OsClient?: string | null;
}

/** 消息的事件号。The message's id. */
interface V8Sent {
  EventId: string;
}

/** MQTT 事件；不是 MQTT 触发的运行中只有 Publish。The event; in runs that MQTT did not start there is Publish alone. */
interface V8Mqtt {
  readonly ClientId: string | null;
  /** 完整主题 tenant/{租户}/…。The full topic. */
  readonly Topic: string | null;
  /** 解析后的 JSON；不是 JSON 时为文本；空内容为 null。The parsed JSON, else the text; null where it is empty. */
  readonly Payload: any;
  readonly PayloadRaw: string | null;
  /** 内容不是 UTF-8 时的完整字节。All the bytes where they are no UTF-8. */
  readonly PayloadBase64: string | null;
  readonly OsClient: string;
  readonly UserName: string | null;
  readonly Qos: 0 | 1 | 2;
  readonly Retain: boolean;
  /** 同名属性取第一个值。The first value of a repeated name. */
  readonly UserProperties: { readonly [name: string]: string } | null;
  readonly UserPropertyList: readonly { readonly Name: string; readonly Value: string }[];
  readonly ResponseTopic: string | null;
  /** Base64 */
  readonly CorrelationData: string | null;
  readonly ContentType: string | null;
  readonly PayloadFormatIndicator: 0 | 1 | null;
  readonly MessageExpiryInterval: number | null;
  /** 后建立的连接更大。Rises with every connection. */
  readonly ConnectionEpoch: number | null;
  /**
   * 向本租户的设备发布消息；事务打开时在提交之后发出。Publishes to devices of the tenant; after the commit while the
   * platform transaction is open. Data.Subscribers 是当前订阅该主题的会话数 is how many sessions have subscribed.
   * @example
   * V8.MQTT.Publish({ Topic: 'cmd/' + V8.MQTT.ClientId, Payload: { Restart: true }, Qos: 1 });
   */
  Publish(message: V8MqttMessage): V8Succeeded<{ Subscribers: number }> | V8Failed;
  Publish(
    topic: string,
    payload?: any,
    qos?: 0 | 1 | 2,
    retain?: boolean,
  ): V8Succeeded<{ Subscribers: number }> | V8Failed;
}

/** 发给设备的消息。A message to devices. */
interface V8MqttMessage {
  Topic: string;
  /** 文本原样发送，其他值为 JSON。Text as it is, anything else as JSON. */
  Payload?: any;
  /** 不是文本的字节。Bytes that are no text. */
  PayloadBase64?: string;
  Qos?: 0 | 1 | 2;
  Retain?: boolean;
  ResponseTopic?: string;
  ContentType?: string;
  UserProperties?: { [name: string]: string };
}

interface V8Mq {
  /**
   * 发送消息。Sends a message; Code 1 表示已可靠保存 means it is stored. 事务打开时随事务提交而发出。
   *
   * While the platform transaction is open (always in runs of a message) it goes out with its commit, and not at all
   * when it rolls back. Data.EventId 是消息的事件号 is the message's id, also on Code 0.
   *
   * EventId 取自业务（如订单号），重发才不会重复生效。Take the EventId from the business, or a repeated send takes effect twice.
   * @example
   * var sent = V8.MQ.SendMsg({ QueueName: 'orders', EventId: 'order-' + order.No, Message: order });
   * if (sent.Code !== 1) return sent;
   */
  SendMsg(message: V8Message, trans?: V8Transaction): V8Succeeded<V8Sent> | V8Failed<V8Sent | null>;
  SendMsg(queue: V8QueueName, message: any, eventId?: string | null): V8Succeeded<V8Sent> | V8Failed<V8Sent | null>;
}

/** Data 是函数的返回值；Ran 为 false 表示此前已完成，未再执行。Ran is false when it was done before and nothing ran. */
interface V8OnceDone<T> extends V8Succeeded<T | null> {
  DataAppend: { Ran: boolean };
}

interface V8Inbox {
  /**
   * 对同一个键只执行一次函数，例如支付回调、设备重发。Runs the function once for a key: a callback of a payment, a reading
   * that a device sends again.
   *
   * 键和函数写入的数据在同一个平台事务中提交；函数内的每个调用都加入该事务。The key commits with what the function writes:
   * inside of it every call joins the platform transaction, with or without `V8.DbTrans`. Keys belong to the engine that
   * calls, are compared byte by byte (128 characters at most), and are kept as long as the inbox (37 days).
   *
   * 函数抛出异常或返回 Code 不为 1：只撤销函数的写入，键仍可用，异常或该结果交给调用者。When the function throws, or answers an
   * object whose Code is not 1, what it wrote is undone, the key is free again, and you get the throw or that object. When
   * the script itself fails afterwards, all of it is undone.
   *
   * 另一次运行正在处理同一个键时最多等待 3 秒，之后为 DB_BUSY，整个运行回滚，请重试。A run that comes while another one has
   * the key waits up to 3 s, then ends with DB_BUSY and rolls back: try again. HTTP 请求等外部效果不在事务内。Requests and
   * other effects outside of the database may repeat.
   * @example
   * return V8.Inbox.Once('pay-' + V8.Param.TradeNo, function () {
   *   return V8.FormEngine.AddFormData('payment', { TradeNo: V8.Param.TradeNo, Amount: V8.Param.Amount });
   * });
   */
  Once<T>(key: string | number, fn: () => Promise<T>): Promise<V8OnceDone<T> | V8Failed>;
  Once<T>(key: string | number, fn: () => T): V8OnceDone<T> | V8Failed;
}

/** 请求参数。What a request is made of. */
interface V8HttpParam {
  /** 完整地址；也可作为第一个参数。The full address; may also be the first argument. */
  Url?: string;
  /** 加到地址的查询参数。Added to the address's query; nested values as JSON text. */
  GetParam?: { [name: string]: any };
  /** 请求体对象。The body as an object: form fields, or JSON with ParamType json. Patch、Put、Delete 也可用它 too. */
  PostParam?: { [name: string]: any } | any[] | string | null;
  /** 请求体原文，须有 ParamType 或 ContentType。The body's text, with a ParamType or ContentType. */
  PostParamString?: string;
  PatchParam?: { [name: string]: any } | any[] | string | null;
  PatchParamString?: string;
  PutParam?: { [name: string]: any } | any[] | string | null;
  PutParamString?: string;
  DeleteParam?: { [name: string]: any } | any[] | string | null;
  DeleteParamString?: string;
  /**
   * 默认 form。Default form. binary：唯一的文件或原文就是请求体 the only file, or the raw text, is the body.
   *
   * 嵌套对象请用 json：form 会把它转成 JSON 文本。Use json for nested objects: a form makes JSON text of them.
   */
  ParamType?: 'form' | 'json' | 'xml' | 'text' | 'binary';
  /** 上传文件 {文件名: Base64}，以 multipart 发送；PostParam 为其他字段。Files as multipart, beside PostParam's fields. */
  FilesByteBase64?: { [fileName: string]: string };
  /** 文本文件。Files of text. */
  FilesByteString?: { [fileName: string]: string };
  /** 字节数组。Files of bytes. */
  FilesByte?: { [fileName: string]: number[] | Uint8Array };
  Headers?: { [name: string]: string | number | boolean };
  /** Headers 的别名。Alias of Headers. */
  Header?: { [name: string]: string | number | boolean };
  /** 代替 ParamType 得出的 Content-Type。Instead of the Content-Type that ParamType gives. */
  ContentType?: string;
  UserAgent?: string;
  Referer?: string;
  /** 响应未声明字符集时使用，例如 gbk。Charset of the response where it names none, such as gbk. */
  Encoding?: string;
  /**
   * 运维配置的凭据名称（机密不进入脚本），或用户名与密码（Basic）。
   *
   * The name of a credential that the operator gave to the tenant (its secret never reaches the script), or user and
   * password for Basic.
   */
  Credentials?: string | { UserName: string; Password: string };
  /** 秒，最多 600，且不超过本次运行的剩余时间。Seconds, at most 600 and what is left of the run. */
  Timeout?: number | string;
  /** Timeout 的别名。Alias of Timeout. */
  TimeOut?: number | string;
  /** `en` 英文，其余中文。Language of error texts. */
  _Lang?: string;
}

interface V8HttpResponse {
  /** 响应正文；二进制内容为空文本。The body as text; empty for a binary one. */
  Content: string;
  Headers: { Name: string; Value: string }[];
  /** 响应的字节，不进入 JSON。The body's bytes; not part of JSON. 例如 as in `System.Convert.ToBase64String(r.RawBytes)`. */
  readonly RawBytes: Uint8Array;
  /** 0 表示没有响应。0: no response. */
  StatusCode: number;
  /** 没有响应的原因。Why there was no response. */
  ErrorMessage: string | null;
  ReasonCode?: string;
}

/** 返回正文文本，不论状态码；没有响应时返回错误文本。The body whatever the status; the error's text without a response. */
interface V8HttpText {
  (param: V8HttpParam): string;
  (url: string, param?: V8HttpParam): string;
}

/** 返回整个响应：请检查 StatusCode。The whole response: look at StatusCode. */
interface V8HttpWhole {
  (param: V8HttpParam): V8HttpResponse;
  (url: string, param?: V8HttpParam): V8HttpResponse;
}

interface V8HttpTextAsync {
  (param: V8HttpParam): Promise<string>;
  (url: string, param?: V8HttpParam): Promise<string>;
}

interface V8HttpWholeAsync {
  (param: V8HttpParam): Promise<V8HttpResponse>;
  (url: string, param?: V8HttpParam): Promise<V8HttpResponse>;
}

/**
 * 外部请求。默认只能访问公网地址；响应最大 10 MiB，自动解压，跟随最多 5 次重定向。
 *
 * 外部请求不在事务里：消息重试时会再次发出，并带相同的 Idempotency-Key 请求头。
 *
 * Outside requests: public addresses unless the operator opens others, at most 10 MiB, decompressed, up to 5 redirects.
 * They are outside the transaction: when a message runs again they go out again, with the same Idempotency-Key header,
 * so that the other side can recognise them.
 *
 * @example
 * var r = V8.Http.PostResponse({
 *   Url: 'https://erp.example.com/orders', ParamType: 'json', PostParam: order, Credentials: 'erp', Timeout: 10
 * });
 * if (r.StatusCode !== 201) return { Code: 0, Msg: 'ERP ' + r.StatusCode + ' ' + (r.ErrorMessage || r.Content) };
 * var created = JSON.parse(r.Content);
 */
interface V8Http {
  /** 查询参数用 GetParam。The query is GetParam. */
  readonly Get: V8HttpText;
  /**
   * 返回正文文本；没有响应时返回错误文本，要判断请用 PostResponse。The body's text; without a response the error's text, which
   * looks like a body: to tell them apart use PostResponse. 默认以表单提交。A form unless ParamType says otherwise.
   */
  readonly Post: V8HttpText;
  /** 同 Post，方法为 PATCH；请求体写在 PatchParam。As Post, with PATCH; the body is PatchParam. */
  readonly Patch: V8HttpText;
  /** 原平台没有此方法。Not on the original platform. */
  readonly Put: V8HttpText;
  /** 原平台没有此方法；只有给出参数才有请求体。Not on the original platform; a body only when one is given. */
  readonly Delete: V8HttpText;
  /** 整个响应；StatusCode 为 0 表示没有响应。The whole response; StatusCode 0 is none. */
  readonly GetResponse: V8HttpWhole;
  /**
   * 整个响应。The whole response: look at StatusCode before Content.
   * @example
   * var r = V8.Http.PostResponse({ Url: url, ParamType: 'json', PostParam: { id: 1 }, Timeout: 5 });
   * if (r.StatusCode !== 200) return { Code: 0, Msg: 'ERP answered ' + r.StatusCode + ' ' + r.ErrorMessage };
   */
  readonly PostResponse: V8HttpWhole;
  /** 整个响应，方法为 PATCH。The whole response, with PATCH. */
  readonly PatchResponse: V8HttpWhole;
  /** 原平台没有此方法。Not on the original platform. */
  readonly PutResponse: V8HttpWhole;
  /** 原平台没有此方法。Not on the original platform. */
  readonly DeleteResponse: V8HttpWhole;
  /** 只取响应头；原平台没有此方法。Headers alone; not on the original platform. */
  readonly HeadResponse: V8HttpWhole;
  /**
   * 同时发出多个请求，再一起等待。Several at once, then wait for all of them.
   * @example
   * var answers = await Promise.all(urls.map((url) => V8.Http.GetAsync({ Url: url, Timeout: 5 })));
   */
  readonly GetAsync: V8HttpTextAsync;
  readonly PostAsync: V8HttpTextAsync;
  readonly PatchAsync: V8HttpTextAsync;
  readonly PutAsync: V8HttpTextAsync;
  readonly DeleteAsync: V8HttpTextAsync;
  readonly GetResponseAsync: V8HttpWholeAsync;
  readonly PostResponseAsync: V8HttpWholeAsync;
  readonly PatchResponseAsync: V8HttpWholeAsync;
  readonly PutResponseAsync: V8HttpWholeAsync;
  readonly DeleteResponseAsync: V8HttpWholeAsync;
  readonly HeadResponseAsync: V8HttpWholeAsync;
}

/** 条件中的值；逗号分隔的文本只用于 In、NotIn。A value of a condition; text with commas is for In and NotIn. */
type V8DocumentValue = string | number | boolean | null | undefined | readonly (string | number | boolean | null)[];

/**
 * 文档的条件：`[AND|OR, '(', 字段, 运算符, 值, ')']`，字段可用 `.` 进入嵌套。A condition of documents; `.` leads into nested fields.
 *
 * 值为 null 时忽略该条件；Like 不分大小写；`>` `<` 把文本当作数字、布尔、日期、文本。Null asks for nothing; Like ignores case;
 * an ordering reads text as number, boolean, date, text.
 */
type V8DocumentCondition =
  | [field: string, operator: V8Operator, value: V8DocumentValue]
  | [field: string, operator: V8Operator, value: V8DocumentValue, close: ')']
  | [before: V8Glue | '&&' | '||' | '(', field: string, operator: V8Operator, value: V8DocumentValue]
  | [before: V8Glue | '&&' | '||' | '(', field: string, operator: V8Operator, value: V8DocumentValue, close: ')']
  | [glue: V8Glue | '&&' | '||', open: '(', field: string, operator: V8Operator, value: V8DocumentValue]
  | [glue: V8Glue | '&&' | '||', open: '(', field: string, operator: V8Operator, value: V8DocumentValue, close: ')'];

/** 文档在哪里。Where documents are. */
interface V8DocumentParam {
  /** 库名：字母、数字、_、-，最多 63 个字符。Database: letters, digits, _ and -, at most 63. */
  DbName: string;
  /** 集合名，不存在时自动建立。Collection; made when it is not there. */
  TableName: string;
  /** 只能是本租户。Only the own tenant. */
  OsClient?: string;
  /** `en` 为英文提示。Language of messages. */
  _Lang?: string;
}

interface V8DocumentIdParam extends V8DocumentParam {
  /** NewId() 的结果，或自己的文本（如 EventId），最多 64 个字符。What NewId() made, or text of your own such as an EventId. */
  Id: string;
}

interface V8DocumentAddParam extends V8DocumentParam {
  /** 省略时自动生成。Made when left out. */
  Id?: string;
  /** 文档内容，可含嵌套对象和数组。The document; nested objects and lists are kept. */
  _FormData: { [field: string]: any };
}

interface V8DocumentUpdateParam extends V8DocumentIdParam {
  /** 只修改给出的字段。Only the fields that are given change. */
  _FormData: { [field: string]: any };
}

interface V8DocumentListParam extends V8DocumentParam {
  _Where?: V8DocumentCondition[] | null;
  /** 从 1 开始。From 1. */
  _PageIndex?: number;
  /** 最多 10,000。At most 10,000. */
  _PageSize?: number;
  /** 前若干条；不给任何分页参数时为 1,000 条。The first so many; 1,000 when nothing is given. */
  _Top?: number;
}

/** 文档：`_id`、`CreateTime` 由主机填写。A document; `_id` and `CreateTime` are the host's. */
interface V8Document {
  _id: string;
  CreateTime: string;
  [field: string]: any;
}

/**
 * 本租户的文档：配置了 MongoDB 时在 MongoDB 中，否则在租户自己的数据库中，规则相同。单个文档最大 4 MiB。
 *
 * The tenant's documents: in MongoDB where one is configured, else in the tenant's own database, by the same rules. At
 * most 4 MiB a document.
 *
 * 注意：MongoDB 不在平台事务里，消息重新处理时会再次写入，请用 EventId 作 Id；租户数据库中的文档在事务打开时随事务提交或回滚。
 *
 * Pitfall: a MongoDB is outside the platform transaction, so a message that runs again writes again: use the EventId as
 * Id. Documents in the tenant's database are committed or rolled back with the transaction while one is open.
 *
 * @example
 * var month = DateNow('yyyy_MM');
 * var added = V8.MongoDb.AddFormData({
 *   DbName: 'sys_log_2026', TableName: 'log_' + month, Id: V8.Param.EventId,
 *   _FormData: { Device: 'pump-1', Payload: V8.Param.Message },
 * });
 * if (added.Code !== 1 && added.ReasonCode !== 'DOCUMENT_EXISTS') return added;
 */
interface V8MongoDb {
  /**
   * 新的 ObjectId，24 位十六进制。A new ObjectId, 24 hexadecimal digits.
   * @example
   * var id = V8.MongoDb.NewId();
   */
  NewId(): string;
  /**
   * 新增文档，`Data` 为保存的文档。Stores a document; `Data` is what was stored. 已有相同 Id 时失败 fails when the Id is taken.
   * @example
   * V8.MongoDb.AddFormData({ DbName: 'iot', TableName: 'reading', _FormData: { Device: 'pump-1', Value: { t: 21.5 } } });
   */
  AddFormData(param: V8DocumentAddParam): V8Succeeded<V8Document> | V8Failed;
  /**
   * 修改字段；没有任何变化或没有该文档时为 `Code: 0`（DOCUMENT_UNCHANGED、DOCUMENT_MISSING）。Changes fields; `Code: 0` when
   * nothing differs or there is no such document.
   * @example
   * var done = V8.MongoDb.UptFormData({ DbName: 'iot', TableName: 'reading', Id: id, _FormData: { Checked: true } });
   * if (done.Code !== 1 && done.ReasonCode !== 'DOCUMENT_UNCHANGED') return done;
   */
  UptFormData(param: V8DocumentUpdateParam): V8Affected | V8Failed;
  /**
   * 按 Id 删除；没有该文档时为 `Code: 0`。Deletes by Id; `Code: 0` when there is none.
   * @example
   * V8.MongoDb.DelFormData({ DbName: 'iot', TableName: 'reading', Id: id });
   */
  DelFormData(param: V8DocumentIdParam): V8Affected | V8Failed;
  /**
   * 按 Id 读取一个文档，不看 `_Where`；没有时为 `Code: 2`。One document by Id, never by `_Where`; `Code: 2` when there is none.
   * @example
   * var one = V8.MongoDb.GetFormData({ DbName: 'iot', TableName: 'reading', Id: id });
   * if (one.Code === 2) return { Code: 0, Msg: 'no such reading' };
   */
  GetFormData(param: V8DocumentIdParam): V8Succeeded<V8Document> | V8NotFound | V8Failed;
  /**
   * 列表，按 CreateTime 从新到旧；`DataCount` 为满足条件的总数。A list, newest first; `DataCount` is how many match.
   * @example
   * var list = V8.MongoDb.GetTableData({
   *   DbName: 'iot', TableName: 'reading', _PageIndex: 1, _PageSize: 20,
   *   _Where: [['Device', 'In', 'pump-1,pump-2'], ['AND', 'Value.t', '>', 80]],
   * });
   */
  GetTableData(param: V8DocumentListParam): V8List | V8Failed;
}

/** 数字和布尔值存为文本；对象须先 JSON.stringify。Numbers and booleans are kept as text; JSON.stringify objects. */
type V8CacheValue = string | number | boolean | null;

/** 寿命：秒数（数字），或 `d.HH:mm:ss` 文本，例如 '0.01:00:00' 为一小时。Seconds as a number, or a text such as '0.01:00:00'. */
type V8CacheLife = number | string;

interface V8CacheField {
  Name: string;
  Value: string;
}

/**
 * 本租户的缓存（Redis 或内置）。键自动带租户前缀，不能访问其他租户。值最大 1 MiB。
 *
 * The tenant's cache, on Redis or built in. Keys get the tenant's prefix; others cannot be reached. At most 1 MiB a value.
 *
 * 不在事务里：脚本失败时写入的值仍然保留。缓存不可用时返回 `{Code: 0}`（不是 null 或 false），请用 `=== true`、`typeof`
 * 判断。
 *
 * Outside the transaction: what a run wrote stays when it fails. A cache that is away is answered by `{Code: 0}`, which
 * is neither null nor false: compare with `=== true`, or by `typeof`.
 *
 * @example
 * var text = V8.Cache.Get('article:' + sku);
 * if (typeof text === 'string') return { Code: 1, Data: JSON.parse(text) };
 * var row = V8.FormEngine.GetFormData('shop_article', { _Where: [['Sku', '=', sku]] });
 * if (row.Code === 1) V8.Cache.Set('article:' + sku, JSON.stringify(row.Data), 300);
 */
interface V8Cache {
  /** 取文本；没有则为 null。JSON 须自己解析。The text, null when there is none; JSON is not parsed. */
  Get(key: string): string | null | V8Failed;
  /** 写入；不给 life 则不过期。对象先 JSON.stringify。Writes; stays without a life. JSON.stringify objects first. */
  Set(key: string, value: V8CacheValue, life?: V8CacheLife | null): true | V8Failed;
  /**
   * 键不存在时写入（原子）。Writes when the key holds nothing, in one step. 请用 `=== true` 判断 compare with `=== true`.
   * @example
   * var first = V8.Cache.SetIfNotExists('sms:' + phone, '1', 60);
   * if (first !== true) return first === false ? { Code: 0, Msg: 'please wait a minute' } : first;
   */
  SetIfNotExists(key: string, value: V8CacheValue, life: V8CacheLife): boolean | V8Failed;
  /** 删除；true 表示原来存在。Removes; true when it was there. */
  Delete(key: string): boolean | V8Failed;
  /** 同 Delete。As Delete. */
  Del(key: string): boolean | V8Failed;
  /** 同 Delete。As Delete. */
  Remove(key: string): boolean | V8Failed;
  /** 删除所有以此开头的键，返回个数。Removes all keys that start with it; how many. 不是一步完成 not in one step. */
  RemoveParent(prefix: string): number | V8Failed;
  /** 键是否存在。Whether the key holds something. */
  KeyExist(key: string): boolean | V8Failed;
  /** 同 KeyExist。As KeyExist. */
  Exists(key: string): boolean | V8Failed;
  /** 从现在起的寿命，哈希也可以；false 表示键不存在。Lives so long from now, hashes too; false when there is none. */
  Expire(key: string, life: V8CacheLife): boolean | V8Failed;
  /** 写一个或多个字段。Writes one field or several. */
  HashSet(key: string, field: string, value: V8CacheValue): true | V8Failed;
  HashSet(key: string, fields: { Name: string; Value: V8CacheValue }[]): true | V8Failed;
  /** 取一个字段。One field. */
  HashGet(key: string, field: string): string | null | V8Failed;
  /** 全部字段，顺序不定。All fields in no promised order. */
  HashGetAll(key: string): V8CacheField[] | V8Failed;
  /** 全部字段名。All names. */
  HashGetAllKeys(key: string): string[] | V8Failed;
  /** 全部字段值。All values. */
  HashGetAllValues(key: string): string[] | V8Failed;
  /** 删除一个字段（是否存在）或多个（个数）。Removes one field (was it there) or several (how many). */
  HashDelete(key: string, field: string): boolean | V8Failed;
  HashDelete(key: string, fields: string[]): number | V8Failed;
  /** 删除一个字段。Removes one field. */
  HashRemove(key: string, field: string): boolean | V8Failed;
  /** 字段是否存在。Whether the field is there. */
  HashExists(key: string, field: string): boolean | V8Failed;
  /** 字段数。Number of fields. */
  HashLength(key: string): number | V8Failed;
  /** 字段加上 step（默认 1，可为负数和小数），返回结果。Adds step (1 by default, may be negative or a fraction); the sum. */
  HashIncrement(key: string, field: string, step?: number): number | V8Failed;
  /** 以 Async 结尾的方法返回 Promise。Members that end in Async return a promise of the same. */
  GetAsync(key: string): Promise<string | null | V8Failed>;
  SetAsync(key: string, value: V8CacheValue, life?: V8CacheLife | null): Promise<true | V8Failed>;
  SetIfNotExistsAsync(key: string, value: V8CacheValue, life: V8CacheLife): Promise<boolean | V8Failed>;
  DeleteAsync(key: string): Promise<boolean | V8Failed>;
  DelAsync(key: string): Promise<boolean | V8Failed>;
  RemoveAsync(key: string): Promise<boolean | V8Failed>;
  RemoveParentAsync(prefix: string): Promise<number | V8Failed>;
  KeyExistAsync(key: string): Promise<boolean | V8Failed>;
  ExistsAsync(key: string): Promise<boolean | V8Failed>;
  ExpireAsync(key: string, life: V8CacheLife): Promise<boolean | V8Failed>;
  HashSetAsync(key: string, field: string, value: V8CacheValue): Promise<true | V8Failed>;
  HashSetAsync(key: string, fields: { Name: string; Value: V8CacheValue }[]): Promise<true | V8Failed>;
  HashGetAsync(key: string, field: string): Promise<string | null | V8Failed>;
  HashGetAllAsync(key: string): Promise<V8CacheField[] | V8Failed>;
  HashGetAllKeysAsync(key: string): Promise<string[] | V8Failed>;
  HashGetAllValuesAsync(key: string): Promise<string[] | V8Failed>;
  HashDeleteAsync(key: string, field: string): Promise<boolean | V8Failed>;
  HashDeleteAsync(key: string, fields: string[]): Promise<number | V8Failed>;
  HashRemoveAsync(key: string, field: string): Promise<boolean | V8Failed>;
  HashExistsAsync(key: string, field: string): Promise<boolean | V8Failed>;
  HashLengthAsync(key: string): Promise<number | V8Failed>;
  HashIncrementAsync(key: string, field: string, step?: number): Promise<number | V8Failed>;
}

interface V8LogEntry {
  Type?: string;
  Title?: string;
  Content?: any;
  OtherInfo?: any;
  Remark?: any;
  Api?: any;
  Param?: any;
  /** 1 信息 info, 2 警告 warning, 3 错误 error. */
  Level?: number | string;
}

interface V8Method {
  /** 26 位、随时间递增的 Id。26 characters, rising with time. */
  NewUlid(): string;
  /** 带横线的小写 GUID。Lower case, with dashes. */
  NewGuid(): string;
  /** Unix 时间戳（秒）。Unix time in seconds. */
  GetTimestamp(): number;
  /** 写系统日志，不随事务回滚。Writes to the system log; a rollback does not take it away. */
  AddSysLog(entry: V8LogEntry): V8Succeeded<null> | V8Failed;
  /**
   * 当前用户；没有登录时为 null。Who runs the script; null when nobody is logged in, and in runs of a message.
   *
   * 令牌留在主机中，Token 为空文本。The token itself stays in the host: `Token` is empty, and a token that is passed in
   * identifies nobody.
   */
  GetCurrentToken(token?: string | null, osClient?: string | null): V8CurrentToken | null;
  /**
   * 条件数组转对象写法，供旧脚本遍历。The array form of `_Where` as objects, for scripts that walk through them.
   * @example
   * V8.Method.ParseWhere([['Sku', '=', 'P-1']]).forEach(function (w) { console.log(w.Name, w.Type, w.Value); });
   */
  ParseWhere(where: V8Condition[] | V8WhereObject[] | string | null): V8WhereObject[];
  /** HMAC-SHA1，Base64。HMAC-SHA1 of the data as Base64. 注意顺序：先数据后密钥。Data first, then the key. */
  HmacSha1Sign(data: V8Bytes, key: V8Bytes): string;
  /**
   * HMAC-SHA256 签名，Base64，先数据后密钥。HMAC-SHA256 of the data as Base64: data first, then the key.
   * @example
   * if (V8.Method.HmacSha256Sign(body, secret) !== sign) return { Code: 0, Msg: 'bad signature' };
   */
  HmacSha256Sign(data: V8Bytes, key: V8Bytes): string;
  /** MD5 摘要，Base64。MD5 as Base64. */
  Md5Sign(data: V8Bytes): string;
  /** MD5，小写十六进制。MD5 as lower-case hex. */
  Md5SignHex(data: V8Bytes): string;
  /** JSON 文本，去掉值为 null 的成员。JSON without members that are null; nulls in lists stay. */
  JsonStringify(value: any): string;
  /** 同上，带缩进。The same, indented. */
  JsonStringifyIndented(value: any): string;
}

interface V8CurrentToken {
  OsClient: string;
  CurrentUser: V8User;
  Token: string;
}

/** 条件的对象写法。A condition as an object. */
interface V8WhereObject {
  Name: string;
  Value: any;
  Type: string;
  AndOr?: 'And' | 'Or' | 'AND' | 'OR' | 'and' | 'or';
  GroupStart?: boolean;
  GroupEnd?: boolean;
  FormEngineKey?: string;
}

/** 文本（按 UTF-8）或字节数组。Text, taken as its UTF-8, or bytes: numbers from 0 to 255. */
type V8Bytes = string | number | ArrayLike<number>;

/**
 * 摘要与加解密。Digests and ciphers. 在主机中计算，密钥和原文不写入日志。
 *
 * They are computed in the host, each call is a host call; keys and texts are never logged. Wrong arguments are a failed
 * DosResult (`Code: 0`) in place of the text.
 */
interface V8EncryptHelper {
  /** MD5，小写十六进制；16 取中间 16 位。Lower-case hex of 32 digits, or the middle 16 of them. */
  MD5Encrypt(text: V8Bytes, digits?: 16 | 32): string;
  /** MD5，大写十六进制。Upper-case hex; the text in UTF-8 unless `charset` is gb2312 or gbk. */
  MD5EncryptWeChat(text: string, charset?: 'utf-8' | 'gb2312' | 'gbk'): string;
  /** 大写十六进制；空则原样返回。Upper-case hex; an empty text stays empty. */
  SHA1(text: string | null): string;
  /** 大写十六进制；要小写用 Sha256Hex。Upper-case hex: for lower case use Sha256Hex. */
  SHA256(text: string | null): string;
  /** 大写十六进制。Upper-case hex. */
  SHA512(text: string | null): string;
  /**
   * SHA-256，小写十六进制。Lower-case hex.
   * @example
   * var hash = V8.EncryptHelper.Sha256Hex(V8.Param.Password + salt);
   */
  Sha256Hex(text: V8Bytes): string;
  /**
   * HMAC-SHA256：先密钥后消息。Key first, then the message: the other way round than Method.HmacSha256Sign.
   *
   * 消息为文本时得到小写十六进制，为字节时得到字节。A text gives lower-case hex, bytes give bytes.
   */
  HmacSha256(key: V8Bytes, message: string): string;
  HmacSha256(key: V8Bytes, message: ArrayLike<number>): number[];
  /** DES-ECB，Base64；密钥须 8 个字符，否则用平台默认密钥。A key without 8 characters counts as the platform's own. */
  DESEncode(text: string | null, key?: string): string;
  /** 解不开时原样返回。What cannot be decrypted comes back as it is. */
  DESDecode(text: string | null, key?: string): string;
  /** AES-256-CBC + HMAC，文本以 aes1: 开头。The text begins with `aes1:`; the original platform reads it, too. */
  AESEncrypt(text: string | null, key: string): string | V8Failed;
  /**
   * 密钥不对或被改动时得到 Code 0。Another key or an altered text is `Code: 0`, never a wrong text.
   * @example
   * var plain = V8.EncryptHelper.AESDecrypt(row.Secret, key);
   * if (typeof plain !== 'string') return plain;
   */
  AESDecrypt(text: string | null, key: string): string | V8Failed;
  /** RSA（PKCS#1 v1.5），Base64。The key is PEM or its Base64. 失败为 Code 0，不会返回明文。A failure is `Code: 0`. */
  RSAEncrypt(text: string, publicKey: string): string | V8Failed;
  /** 解不开时原样返回。What is no cipher text comes back as it is; one of another key gives meaningless text. */
  RSADecrypt(text: string | null, privateKey: string): string;
  /** 长度像 RSA 密文。True for Base64 of as many bytes as a cipher text has. */
  IsRSAEncrypted(text: string | null): boolean;
}

/** Base64 是编码，不是加密。Base64 of a text's UTF-8: an encoding, no protection. */
interface V8Base64 {
  /**
   * @example
   * var packed = V8.Base64.StringToBase64('你好'); // '5L2g5aW9'
   */
  StringToBase64(text: string): string;
  /**
   * 不是 Base64 时原样返回。What is no Base64 comes back as it is. 注意：4 的倍数个字母的普通单词也会被解码。
   *
   * Beware: only length and alphabet are checked, so that a plain word such as `user` is decoded to something else.
   */
  Base64ToString(base64: string): string;
}
