import type { Lang } from '../core/errors.ts';

/** The words of a story. States, reasons and names of calls stay as the API has them: they can be searched for. */
export interface StoryWords {
  readonly times: (zone: string) => string;
  readonly inbox: string;
  readonly runs: string;
  readonly parked: string;
  readonly outbox: string;
  readonly receiveLog: string;
  readonly sysLog: string;
  readonly attempt: (attempt: number) => string;
  readonly cycle: (cycle: number) => string;
  readonly due: string;
  readonly sentOn: string;
  readonly duplicate: string;
  readonly replay: string;
  /** For dead letters whose EventId was done with another content. */
  readonly reused: string;
  readonly unhandled: string;
  /** Texts that the platform writes into its message log, in the reader's language. */
  readonly logged: Readonly<Record<string, string>>;
}

export const STORY_WORDS: Readonly<Record<Lang, StoryWords>> = {
  zh: {
    times: (zone) => `时间为 ${zone}`,
    inbox: '收件箱',
    runs: '运行',
    parked: '重试与死信',
    outbox: '待发消息',
    receiveLog: '收发日志',
    sysLog: '脚本日志',
    attempt: (attempt) => `第 ${attempt} 次`,
    cycle: (cycle) => `第 ${cycle} 轮`,
    due: '到期',
    sentOn: '发往',
    duplicate: '此前已处理，未再次运行',
    replay: '修好之后重放',
    reused: '这个 EventId 已用于内容不同的消息：请换一个新的 EventId 重新发送',
    unhandled: '还没有脚本处理它：脚本头部用 @queue 写明队列，再执行 npx v8host push DIR。',
    logged: { 正常: '' },
  },
  en: {
    times: (zone) => `times in ${zone}`,
    inbox: 'Inbox',
    runs: 'Runs',
    parked: 'Retries and dead letters',
    outbox: 'Messages not sent yet',
    receiveLog: 'Message log',
    sysLog: 'Script log',
    attempt: (attempt) => `attempt ${attempt}`,
    cycle: (cycle) => `cycle ${cycle}`,
    due: 'due',
    sentOn: 'sent on to',
    duplicate: 'handled before, not run again',
    replay: 'Run it again after the repair',
    reused: 'This EventId was used for a message with other content: send it again with a new EventId',
    unhandled:
      'No script has handled it yet: the header of a script names its queue by @queue; npx v8host push DIR uploads it.',
    logged: { 发送: 'sent', 接收: 'received', 成功: 'ok', 失败: 'failed', 正常: '' },
  },
};
