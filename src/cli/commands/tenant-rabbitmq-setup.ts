import { isJsonObject } from '../../core/json.ts';
import type { Command } from '../command.ts';
import { neededOption, readPasswordFile } from '../password-file.ts';
import { showAnswer } from '../show-answer.ts';
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
    'admin-user': {
      value: 'NAME',
      isRequired: true,
      summary: { zh: 'RabbitMQ 管理员', en: 'administrator of RabbitMQ' },
    },
    'admin-password-file': {
      value: 'FILE',
      isRequired: true,
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
      user: neededOption(call, 'admin-user'),
      password: readPasswordFile(neededOption(call, 'admin-password-file')),
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
