import type { Command } from '../command.ts';
import { showAnswer } from '../show-answer.ts';

/** `tenant reload`: rebuilds the queue connections of a tenant. */
export const tenantReload: Command = {
  name: 'tenant reload',
  summary: {
    zh: '重新读取租户设置并重建其队列连接',
    en: "read a tenant's settings again and rebuild its queue connections",
  },
  args: [],
  options: {},
  client: true,
  examples: ['v8host tenant reload --tenant factory-1'],
  async run(call) {
    const answer = await call.host().ask('POST', `${call.tenantPath()}/reload`);
    return showAnswer(call, answer, () => {
      call.terminal.err(call.lang === 'zh' ? '已重建队列连接' : 'The queue connections are rebuilt');
    });
  },
};
