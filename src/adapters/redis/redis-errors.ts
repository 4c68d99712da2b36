import { bilingual } from '../../core/bilingual.ts';
import { cacheFull } from '../../core/cache-full.ts';
import { AppError } from '../../core/errors.ts';

/** What the server says about a value of the wrong kind. */
const VALUE_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/WRONGTYPE/, bilingual('字符串与哈希不能混用', 'a string is no hash and a hash no string')],
  [/not (a valid|a) float/, bilingual('内容不是数字', 'it is no number')],
  [/NaN or Infinity/, bilingual('结果超出数值范围', 'the sum is out of range')],
];

/** Why the server cannot serve now, by what it or the connection says. */
const OUTAGES: readonly (readonly [RegExp, string])[] = [
  [/^(WRONGPASS|NOAUTH)|invalid password/i, bilingual('用户名或密码不正确', 'user or password is wrong')],
  [/^NOPERM|user executing the script can't/, bilingual('Redis 用户缺少权限', 'the Redis user lacks a permission')],
  [/DB index is out of range/, bilingual('库号不存在', 'the database number does not exist')],
  [/^LOADING/, bilingual('Redis 正在装入数据', 'Redis is loading its data')],
  [/^READONLY/, bilingual('Redis 是只读副本', 'Redis is a read-only replica')],
  [/^OOM/, bilingual('Redis 内存已满', 'the memory of Redis is full')],
  [/^MISCONF/, bilingual('Redis 无法写盘', 'Redis cannot write to its disk')],
  [/^BUSY/, bilingual('Redis 正在执行长脚本', 'Redis is busy with a script')],
  [/^(MASTERDOWN|NOREPLICAS)/, bilingual('Redis 主从连接中断', 'Redis lost its master or replicas')],
  [/^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT)\b/, bilingual('不支持 Redis 集群模式', 'a Redis cluster is not supported')],
  [/^ERR max number of clients/, bilingual('Redis 连接数已满', 'Redis has no connection left')],
  [/timed out|socket timeout/i, bilingual('Redis 没有及时回答', 'Redis does not answer in time')],
];

const REFUSED_BY_SERVER = bilingual('Redis 拒绝了连接', 'Redis refuses the connection');

const REFUSED = bilingual('连接被拒绝', 'the connection is refused');
const UNKNOWN_HOST = bilingual('主机名无法解析', 'the host name is unknown');
const LOST = bilingual('连接中断', 'the connection is lost');
const CERTIFICATE = bilingual('TLS 证书不被信任', 'the TLS certificate is not trusted');

/** Why a connection failed, by the system's code. */
const SYSTEM_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ETIMEDOUT: bilingual('连接超时', 'connecting takes too long'),
};

/** What the cache's own scripts say when a tenant may write no more (cache-scripts.ts). */
const FULL = /\bFULL (keys|fields) (\d+)/;

/**
 * Translates what became of a command. The cause keeps the text alone: the driver's own error holds the arguments of
 * the command, among them passwords and values. @param key of the command, for the message.
 */
export function fromRedisError(thrown: unknown, key = ''): AppError {
  const text = textOf(thrown);
  const rule = reasonIn(VALUE_ERRORS, text);
  if (rule !== undefined) return new AppError('CACHE_VALUE_MISMATCH', { key, rule }, { cause: new Error(text) });
  const full = FULL.exec(text);
  if (full !== null) return cacheFull(full[1] === 'keys' ? 'keys' : 'fields', Number(full[2]));
  // Any other complaint about a command is a fault of this program.
  if (isReply(thrown) && reasonIn(OUTAGES, text) === undefined) {
    return new AppError('INTERNAL', {}, { cause: new Error(text) });
  }
  return fromConnectionError(thrown);
}

/** Translates why there is no connection. The reason names no address: tenants see it. */
export function fromConnectionError(thrown: unknown): AppError {
  const text = textOf(thrown);
  const reason = reasonIn(OUTAGES, text) ?? (isReply(thrown) ? REFUSED_BY_SERVER : connectionReason(thrown));
  return new AppError('CACHE_UNAVAILABLE', { reason }, { cause: new Error(text) });
}

function reasonIn(table: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}

function connectionReason(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return LOST;
  if (/CERT|SIGNATURE/.test(code)) return `${CERTIFICATE} (${code})`;
  return `${SYSTEM_CODES[code] ?? LOST} (${code})`;
}

/** An unknown command is quoted by the server with its arguments, which may be the password of HELLO. */
/** Redis before 7 writes where in a script a command failed before why. */
const SCRIPT_PLACE = /^ERR Error running script \(call to \w+\): @user_script:\s*\d+: -?/;

function textOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(SCRIPT_PLACE, '').replace(/, with args[\s\S]*$/, '');
}

function isReply(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'ReplyError';
}
