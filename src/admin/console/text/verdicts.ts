import { defineText } from './text.ts';

/** What became of an attempt, or what people did with its message (`verdict` of the API). */
export const VERDICTS = defineText<Readonly<Record<string, string>>>(
  {
    done: '完成',
    duplicate: '重复，未再运行',
    retry: '将重试',
    dead: '死信',
    failed: '失败',
    deferred: '推迟',
    replayed: '已重放',
    edited: '已修改并重放',
    purged: '已清除',
    waiting: '等待重试',
    behind: '等待同键的前一条',
    resolved: '已解决',
  },
  {
    done: 'done',
    duplicate: 'duplicate, not run again',
    retry: 'will be retried',
    dead: 'dead letter',
    failed: 'failed',
    deferred: 'deferred',
    replayed: 'replayed',
    edited: 'edited and replayed',
    purged: 'purged',
    waiting: 'waits for a retry',
    behind: 'waits behind one of its key',
    resolved: 'resolved',
  },
);

/** Why a message is dead (`reason` of the API). */
export const REASONS = defineText<Readonly<Record<string, string>>>(
  {
    'invalid-envelope': '消息格式不对',
    'too-large': '消息过大',
    'budget-exhausted': '重试次数已用完',
    rejected: '被脚本拒绝',
    'sandbox-crash': '沙箱崩溃',
    'host-crash': '主机崩溃',
    'torn-transaction': '事务中断',
    'event-id-reused': 'EventId 已用于别的内容',
    'engine-missing': '找不到接口引擎',
    'identity-refused': '身份不符',
    retry: '重试',
    order: '按键排序',
  },
  {
    'invalid-envelope': 'the message is malformed',
    'too-large': 'the message is too large',
    'budget-exhausted': 'all attempts failed',
    rejected: 'the script refused it',
    'sandbox-crash': 'the sandbox crashed',
    'host-crash': 'the host crashed',
    'torn-transaction': 'the transaction was torn',
    'event-id-reused': 'its EventId was used for other content',
    'engine-missing': 'there is no such engine',
    'identity-refused': 'the identity was refused',
    retry: 'retry',
    order: 'order of its key',
  },
);

/** How an Element Plus tag shows it. */
export function verdictTone(verdict: string): 'success' | 'danger' | 'warning' | 'info' {
  if (['done', 'resolved'].includes(verdict)) return 'success';
  if (['dead', 'failed'].includes(verdict)) return 'danger';
  return ['retry', 'waiting', 'behind', 'deferred'].includes(verdict) ? 'warning' : 'info';
}
