import { type Command, textOption } from '../command.ts';
import { watched } from '../watched-work.ts';

/** `migrate`: brings the tenants' databases to this version without starting the host. */
export const migrate: Command = {
  name: 'migrate',
  summary: { zh: '升级各租户的数据库结构', en: "bring the tenants' databases to this version" },
  args: [],
  options: {
    extend: {
      summary: {
        zh: '同时在原平台的表上补充本产品的列',
        en: "also add this product's columns to tables of the original platform",
      },
    },
    json: { summary: { zh: '输出 DosResult', en: 'print a DosResult' } },
  },
  client: false,
  examples: ['v8host migrate', 'v8host migrate --extend'],
  exits: { 4: { zh: '数据库来自更新的版本', en: 'the database is of a newer version' } },
  async run(call) {
    const configFile = textOption(call, 'config');
    return watched(call, { zh: '正在升级', en: 'migrating' }, (note) =>
      call.hostCommands.migrateData({
        ...call.terminal,
        lang: call.lang,
        extend: call.options.extend === true,
        ...(configFile === undefined ? {} : { configFile }),
        json: call.options.json === true,
        note,
      }),
    );
  },
};
