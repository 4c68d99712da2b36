import { ROLES } from '../../core/access.ts';
import { AppError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type Command, type CommandCall, textOption } from '../command.ts';
import { neededOption, readPasswordFile } from '../password-file.ts';
import { isSuccess, showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

const ROLE = { value: 'ROLE', summary: { zh: `角色：${ROLES.join('、')}`, en: `role: ${ROLES.join(', ')}` } };
const PASSWORD = { value: 'FILE', summary: { zh: '存放密码的文件', en: 'file with the password' } };

/** `user list`: who may log in to the tenant. */
export const userList: Command = {
  name: 'user list',
  summary: { zh: '列出租户的用户', en: 'list the users of a tenant' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host user list --tenant factory-1'],
  async run(call) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/users`);
    return showAnswer(call, answer, (data) => {
      const head = call.lang === 'zh' ? ['账号', '姓名', '角色', '启用'] : ['ACCOUNT', 'NAME', 'ROLE', 'ENABLED'];
      const rows = rowsOf(data).map((user) => [
        String(user.account),
        String(user.name),
        user.isHostAdmin === true ? 'host' : String(user.role),
        user.isEnabled === true ? '*' : '',
      ]);
      for (const line of tableLines([head, ...rows])) call.terminal.out(line);
    });
  },
};

/** `user add`: makes a user. */
export const userAdd: Command = {
  name: 'user add',
  summary: { zh: '新增用户', en: 'make a user' },
  args: ['ACCOUNT'],
  options: {
    role: { ...ROLE, isRequired: true },
    'password-file': { ...PASSWORD, isRequired: true },
    name: { value: 'TEXT', summary: { zh: '姓名', en: 'name' } },
  },
  client: true,
  examples: ['v8host user add anna --role developer --password-file anna.pw --tenant factory-1'],
  async run(call) {
    const [account] = call.args;
    const body = {
      account,
      role: neededOption(call, 'role'),
      password: readPasswordFile(neededOption(call, 'password-file')),
      ...given('name', textOption(call, 'name')),
    };
    const answer = await call.host().ask('POST', `${call.tenantPath()}/users`, JSON.stringify(body));
    return showAnswer(call, answer, () => {
      call.terminal.err(call.lang === 'zh' ? `已新增用户 ${account}` : `User ${account} was made`);
    });
  },
};

/** `user change`: gives a user another role, password or name, or switches it off and on. */
export const userChange: Command = {
  name: 'user change',
  summary: {
    zh: '修改用户；停用、改角色或密码会结束其登录',
    en: 'change a user; a new role or password ends its logins',
  },
  args: ['ACCOUNT'],
  options: {
    role: ROLE,
    'password-file': PASSWORD,
    name: { value: 'TEXT', summary: { zh: '姓名', en: 'name' } },
    disable: { summary: { zh: '停用', en: 'switch off' } },
    enable: { summary: { zh: '启用', en: 'switch on' } },
  },
  client: true,
  examples: ['v8host user change anna --disable --tenant factory-1'],
  async run(call) {
    const file = textOption(call, 'password-file');
    const body = {
      ...given('role', textOption(call, 'role')),
      ...given('name', textOption(call, 'name')),
      ...given('password', file === undefined ? undefined : readPasswordFile(file)),
      ...(call.options.disable === true ? { isEnabled: false } : {}),
      ...(call.options.enable === true ? { isEnabled: true } : {}),
    };
    const path = await userPath(call);
    return showAnswer(call, await call.host().ask('PATCH', path, JSON.stringify(body)), () => {
      call.terminal.err(call.lang === 'zh' ? '已修改' : 'Changed');
    });
  },
};

/** `user remove`: removes a user; its logins end. */
export const userRemove: Command = {
  name: 'user remove',
  summary: { zh: '删除用户', en: 'remove a user' },
  args: ['ACCOUNT'],
  options: {},
  client: true,
  examples: ['v8host user remove anna --tenant factory-1'],
  async run(call) {
    return showAnswer(call, await call.host().ask('DELETE', await userPath(call)), () => {
      call.terminal.err(call.lang === 'zh' ? '已删除' : 'Removed');
    });
  },
};

/** The path of the user with the account, any case. @throws AppError NOT_FOUND, or why the list was refused. */
async function userPath(call: CommandCall): Promise<string> {
  const [account = ''] = call.args;
  const { result } = await call.host().ask('GET', `${call.tenantPath()}/users`);
  if (!isSuccess(result)) {
    throw new AppError(result.ReasonCode ?? 'INTERNAL', (result.DataAppend ?? {}) as Record<string, string>);
  }
  const user = rowsOf(result.Data ?? null).find((each) => same(String(each.account), account));
  if (user === undefined) throw new AppError('NOT_FOUND', { what: account });
  return `${call.tenantPath()}/users/${encodeURIComponent(String(user.id))}`;
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.normalize('NFC').toLowerCase();
}

function rowsOf(data: JsonValue): readonly JsonObject[] {
  return Array.isArray(data) ? data.filter(isJsonObject) : [];
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}
