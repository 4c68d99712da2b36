import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { UsageError } from '../usage-error.ts';
import { visibleText } from '../visible-text.ts';

/** `tenant rabbitmq-setup`: a RabbitMQ user, virtual host and permissions of the tenant's own. */
export const tenantRabbitmqSetup: Command = {
  name: 'tenant rabbitmq-setup',
  summary: {
    zh: '通过管理接口为租户建立 RabbitMQ 用户、虚拟主机和权限',
    en: 'make RabbitMQ user, virtual host and permissions of a tenant through the management interface',
  },
  args: ['MANAGEMENT_URL'],
  options: {
    'admin-user': { value: 'NAME', summary: { zh: 'RabbitMQ 管理员', en: 'administrator of RabbitMQ' } },
    'admin-password-file': {
      value: 'FILE',
      summary: { zh: '存放管理员密码的文件', en: "file with the administrator's password" },
    },
    'show-password': {
      summary: { zh: '显示租户的密码', en: "print the tenant's password" },
    },
  },
  client: true,
  examples: [
    'v8host tenant rabbitmq-setup http://127.0.0.1:15672 --admin-user admin --admin-password-file admin.pw --tenant factory-1',
  ],
  async run(call) {
    const [url] = call.args;
    const body = {
      url,
      user: needed(textOption(call, 'admin-user'), 'admin-user'),
      password: readPassword(needed(textOption(call, 'admin-password-file'), 'admin-password-file')),
      showPassword: call.options['show-password'] === true,
    };
    const answer = await call.host().ask('POST', `${call.tenantPath()}/rabbitmq-setup`, JSON.stringify(body));
    return showAnswer(call, answer, (data) => {
      if (!isJsonObject(data)) return;
      for (const field of ['user', 'vhost', 'password']) {
        if (data[field] !== undefined) call.terminal.out(`${field}: ${visibleText(String(data[field]))}`);
      }
    });
  },
};

function needed(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`缺少选项 --${option}`, `The option --${option} is missing`);
}

/** The first line: editors end a file with a line break. */
function readPassword(path: string): string {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (thrown) {
    const reason = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    throw new UsageError(`读不到文件 ${path}（${reason}）`, `The file ${path} cannot be read (${reason})`);
  }
}
