import type { Command } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { UsageError } from '../usage-error.ts';

/** `rollback`: saves the source of an older version again. */
export const rollback: Command = {
  name: 'rollback',
  summary: {
    zh: '把引擎恢复到旧版本的源码，保存为新版本',
    en: 'save the source of an older version of an engine again, as a new version',
  },
  args: ['KEY', 'NO'],
  options: {},
  client: true,
  examples: ['v8host rollback order-intake 3 --tenant demo'],
  async run(call) {
    const [key = '', no = ''] = call.args;
    if (!/^[1-9]\d{0,9}$/.test(no)) throw new UsageError('NO 须为版本编号', 'NO is the number of a version');
    const path = `${call.tenantPath()}/engines/${encodeURIComponent(key)}/rollback`;
    const answer = await call.host().ask('POST', path, JSON.stringify({ no: Number(no) }));
    return showAnswer(call, answer, (data) => {
      const saved = data as { readonly key: string; readonly version: string; readonly no: number | null };
      call.terminal.out(DONE[call.lang](saved.key, saved.no ?? '', saved.version));
    });
  },
};

const DONE = {
  zh: (key: string, no: number | string, version: string) => `${key} 现为版本 ${no}（${version}）`,
  en: (key: string, no: number | string, version: string) => `${key} is version ${no} now (${version})`,
};
