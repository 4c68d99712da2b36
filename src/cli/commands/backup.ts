import { resolve } from 'node:path';
import { type Command, textOption } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { askWatched } from '../watched-work.ts';

interface Backup {
  readonly dir: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly elsewhere: readonly string[];
}

/** `backup`: copies the data directory of the running host. */
export const backup: Command = {
  name: 'backup',
  summary: { zh: '在主机运行时备份其数据目录', en: 'back up the data directory while the host runs' },
  args: [],
  options: {
    to: {
      value: 'DIR',
      summary: {
        zh: '主机所在机器上尚不存在的目录；默认 {dataDir}/backups/时间',
        en: "a new directory on the host's machine; {dataDir}/backups/TIME without it",
      },
    },
  },
  client: true,
  examples: ['v8host backup', 'v8host backup --to /backup/v8host-monday'],
  async run(call) {
    const to = textOption(call, 'to');
    const what = { zh: '正在备份', en: 'backing up' };
    const body = { dir: to && resolve(to) };
    const answer = await askWatched(call, what, { method: 'POST', path: '/api/v1/backups', body });
    return showAnswer(call, answer, (data) => {
      const { dir, files, elsewhere } = data as unknown as Backup;
      for (const { path, bytes } of files) call.terminal.err(`${path}  ${bytes}`);
      call.terminal.out(dir);
      if (elsewhere.length === 0) return;
      const names = elsewhere.join(', ');
      call.terminal.err(
        call.lang === 'zh' ? `不在此备份中，请另行备份：${names}` : `Not in it, back these up apart: ${names}`,
      );
    });
  },
};
