import { isJsonObject } from '../../core/json.ts';
import { askPassword } from '../ask-password.ts';
import { type Command, type CommandCall, EXIT, textOption } from '../command.ts';
import { readPasswordFile } from '../password-file.ts';
import { isSuccess, showAnswer } from '../show-answer.ts';

/** `login`: keeps a login for the host's address; without an account it says who is logged in. */
export const login: Command = {
  name: 'login',
  summary: {
    zh: '以账号和密码登录主机；不写账号则显示当前身份',
    en: 'log in to a host by account and password; without an account, tell who is logged in',
  },
  args: ['[ACCOUNT]'],
  options: {
    'password-file': {
      value: 'FILE',
      summary: { zh: '存放密码的文件，不写则询问', en: 'file with the password, which is asked for without it' },
    },
  },
  client: true,
  examples: ['v8host login anna --tenant factory-1 --url https://host.example', 'v8host login'],
  async run(call) {
    const [account] = call.args;
    return account === undefined ? showSession(call) : logIn(call, account);
  },
};

/** `logout`: ends the login that is kept for the host's address. */
export const logout: Command = {
  name: 'logout',
  summary: { zh: '结束 v8host login 的登录', en: 'end the login made by v8host login' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host logout --url https://host.example'],
  async run(call) {
    const { url, saved, keep, as } = call.login();
    if (saved === undefined) {
      call.terminal.err(call.lang === 'zh' ? `没有登录 ${url}` : `There is no login to ${url}`);
      return EXIT.ok;
    }
    const answer = await as(saved.token).ask('DELETE', '/api/v1/session');
    // One that ended before is gone, too; a host that could not end it gets another try.
    if (answer.status === 401) {
      keep(undefined);
      return EXIT.ok;
    }
    return showAnswer(call, answer, () => {
      keep(undefined);
      call.terminal.err(call.lang === 'zh' ? `已退出 ${url}` : `Logged out of ${url}`);
    });
  },
};

async function logIn(call: CommandCall, account: string): Promise<number> {
  const { url, keep, as } = call.login();
  const file = textOption(call, 'password-file');
  const question = call.lang === 'zh' ? `${account} 的密码：` : `Password of ${account}: `;
  const password = file === undefined ? await askPassword(question) : readPasswordFile(file);
  const body = JSON.stringify({ tenant: call.tenant(), account, password });
  const answer = await as(undefined).ask('POST', '/api/v1/login', body);
  const data = answer.result.Data;
  if (!isSuccess(answer.result) || !isJsonObject(data)) return showAnswer(call, answer, () => {});
  const tenant = String(data.tenant);
  keep({ tenant, account, token: String(data.token) });
  // The token stays in its file: output ends up in logs.
  const { token: _, csrf: __, ...shown } = data;
  return showAnswer(call, { ...answer, text: JSON.stringify({ ...answer.result, Data: shown }) }, () => {
    const text = call.lang === 'zh' ? `已登录 ${url}，租户 ${tenant}` : `Logged in to ${url}, tenant ${tenant}`;
    call.terminal.err(text);
  });
}

async function showSession(call: CommandCall): Promise<number> {
  const answer = await call.host().ask('GET', '/api/v1/session');
  return showAnswer(call, answer, (data) => {
    const { name, tenant, role } = isJsonObject(data) ? data : {};
    call.terminal.out([name, tenant ?? '*', role].map(String).join('\t'));
  });
}
