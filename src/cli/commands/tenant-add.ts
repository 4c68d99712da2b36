import { type Command, textOption } from '../command.ts';
import { showAnswer } from '../show-answer.ts';

/** `tenant add`: creates a tenant and its database. */
export const tenantAdd: Command = {
  name: 'tenant add',
  summary: { zh: '新增租户及其数据库', en: 'create a tenant and its database' },
  args: ['NAME'],
  options: {
    db: {
      value: 'URL',
      summary: { zh: '数据库地址，默认为 SQLite 文件', en: 'database URL, by default a SQLite file' },
    },
  },
  client: true,
  examples: ['v8host tenant add factory-1'],
  async run(call) {
    const [tenant] = call.args;
    const databaseUrl = textOption(call, 'db');
    const answer = await call.host().ask('POST', '/api/v1/tenants', JSON.stringify({ tenant, databaseUrl }));
    return showAnswer(call, answer, () => {
      call.terminal.err(call.lang === 'zh' ? `已新增租户 ${tenant}` : `Tenant ${tenant} was created`);
    });
  },
};
