import { type Command, textOption } from '../command.ts';
import { watched } from '../watched-work.ts';

/** `restore`: puts a backup into the data directory of a host that is not running. */
export const restore: Command = {
  name: 'restore',
  summary: {
    zh: '把备份恢复到数据目录（主机须已停止）',
    en: 'put a backup into the data directory (the host is stopped)',
  },
  args: ['DIR'],
  options: {
    replace: {
      summary: {
        zh: '数据目录已有数据时，先把它移到旁边',
        en: 'when there is data already, move it aside first',
      },
    },
    json: { summary: { zh: '输出 DosResult', en: 'print a DosResult' } },
  },
  client: false,
  examples: ['v8host restore ./data/backups/2026-03-04T05-06-07-089Z --replace'],
  async run(call) {
    const configFile = textOption(call, 'config');
    return watched(call, { zh: '正在恢复', en: 'restoring' }, (note) =>
      call.hostCommands.restoreData({
        ...call.terminal,
        lang: call.lang,
        from: call.args[0] ?? '',
        replace: call.options.replace === true,
        ...(configFile === undefined ? {} : { configFile }),
        json: call.options.json === true,
        note,
      }),
    );
  },
};
