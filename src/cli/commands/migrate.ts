import { type Command, textOption } from '../command.ts';

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
  },
  client: false,
  examples: ['v8host migrate', 'v8host migrate --extend'],
  async run(call) {
    const configFile = textOption(call, 'config');
    return call.hostCommands.migrateData({
      ...call.terminal,
      lang: call.lang,
      extend: call.options.extend === true,
      ...(configFile === undefined ? {} : { configFile }),
    });
  },
};
