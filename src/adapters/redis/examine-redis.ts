import { randomBytes } from 'node:crypto';
import { parseCacheUrl } from '../../core/cache-url.ts';
import { coerceError, orThrow } from '../../core/errors.ts';
import { clockFinding, type Finding, fine, problem, problemOf } from '../../core/finding.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { RedisLink } from './redis-link.ts';

const LEAST_MAJOR = 6;

export interface RedisExamination {
  readonly clock: Clock;
  readonly log: Log;
  /** It keeps the sessions of devices, which must outlive it. */
  readonly keepsSessions: boolean;
}

/** Looks a Redis server over: login, version, rights, what it forgets, clock. Never rejects. */
export async function examineRedis(
  text: string,
  { keepsSessions, ...services }: RedisExamination,
): Promise<readonly Finding[]> {
  const parsed = parseCacheUrl(text);
  if (!parsed.ok) return [problemOf('cache', 'cacheUrl', parsed.error)];
  const url = orThrow(parsed);
  const link = new RedisLink({ url, purpose: 'commands', ...services });
  try {
    await link.probe();
    return await findingsOf(link, url.loggable, keepsSessions);
  } catch (error: unknown) {
    return [problemOf('cache', url.loggable, coerceError(error).toRecord())];
  } finally {
    link.close();
  }
}

async function findingsOf(link: RedisLink, subject: string, keepsSessions: boolean): Promise<readonly Finding[]> {
  const key = `v8host:doctor:${randomBytes(6).toString('hex')}`;
  const { info, time } = await link.run(async (redis) => {
    await redis.set(key, '1', 'PX', 10_000);
    await redis.del(key);
    return { info: await redis.info(), time: await redis.time() };
  });
  const value = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = value('redis_version');
  const policy = value('maxmemory_policy');
  const at = Number(time[0]) * 1000 + Number(time[1]) / 1000;
  return [
    versionFinding(subject, version),
    ...(policy === '' || policy === 'noeviction' ? [] : [evicts(subject, policy)]),
    ...(keepsSessions && value('aof_enabled') === '0' ? [forgets(subject)] : []),
    clockFinding(subject, at - Date.now()),
  ];
}

function versionFinding(subject: string, version: string): Finding {
  if (Number.parseInt(version, 10) >= LEAST_MAJOR) {
    return fine('cache', subject, `Redis ${version}，可读写`, `Redis ${version}, reads and writes`);
  }
  return problem(
    'cache',
    subject,
    `Redis ${version} 过旧：需要 6 以上版本。`,
    `Redis ${version} is too old: 6 or later.`,
  );
}

function evicts(subject: string, policy: string): Finding {
  return problem(
    'cache',
    subject,
    `maxmemory-policy 是 ${policy}：内存不足时会丢弃锁和计数；设置为 noeviction。`,
    `maxmemory-policy is ${policy}: locks and counters are dropped when memory runs short; set it to noeviction.`,
  );
}

function forgets(subject: string): Finding {
  return problem(
    'cache',
    subject,
    'appendonly 是 no，而 mqtt.shared 把设备会话存在这里：Redis 重启会丢失已确认的消息；设置 appendonly yes。',
    'appendonly is no, and mqtt.shared keeps the sessions of devices here: a restart of Redis loses acknowledged messages; set appendonly yes.',
  );
}
