import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { localTime } from '../local-time.ts';
import { neededOption } from '../password-file.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';
import { UsageError } from '../usage-error.ts';

const DAY_MS = 86_400_000;

/** `key list`: keys of the tenant, never their texts. */
export const keyList: Command = {
  name: 'key list',
  summary: { zh: '列出租户的密钥', en: 'list the keys of a tenant' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host key list --tenant factory-1'],
  async run(call) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/keys`);
    return showAnswer(call, answer, (data) => {
      const head =
        call.lang === 'zh' ? ['ID', '名称', '角色', '范围', '到期'] : ['ID', 'NAME', 'ROLE', 'SCOPES', 'EXPIRES'];
      const rows = Array.isArray(data) ? data.filter(isJsonObject).map(rowOf) : [];
      for (const line of tableLines([head, ...rows])) call.terminal.out(line);
    });
  },
};

/** `key add`: makes a key for scripts and CI and prints it, this once. */
export const keyAdd: Command = {
  name: 'key add',
  summary: { zh: '新增密钥；只显示这一次', en: 'make a key; it is printed this once' },
  args: ['NAME'],
  options: {
    role: { value: 'ROLE', isRequired: true, summary: { zh: '角色', en: 'role' } },
    scopes: {
      value: 'LIST',
      summary: { zh: '只限这些权限，逗号分隔', en: 'these permissions only, separated by commas' },
    },
    days: { value: 'N', summary: { zh: '有效天数，默认不过期', en: 'days until it expires, by default never' } },
  },
  client: true,
  examples: ['v8host key add ci --role developer --scopes engine.push --days 90 --tenant factory-1'],
  async run(call) {
    const [name] = call.args;
    const scopes = textOption(call, 'scopes');
    const days = textOption(call, 'days');
    const body = {
      name,
      role: neededOption(call, 'role'),
      ...(scopes === undefined ? {} : { scopes: scopes.split(',').map((scope) => scope.trim()) }),
      ...(days === undefined ? {} : { expiresAt: Date.now() + readDays(days) * DAY_MS }),
    };
    const answer = await call.host().ask('POST', `${call.tenantPath()}/keys`, JSON.stringify(body));
    return showAnswer(call, answer, (data) => {
      if (isJsonObject(data)) call.terminal.out(String(data.key));
      call.terminal.err(call.lang === 'zh' ? '请保存好：它不会再显示' : 'Keep it: it is not shown again');
    });
  },
};

/** `key remove`: withdraws a key at once. */
export const keyRemove: Command = {
  name: 'key remove',
  summary: { zh: '收回密钥，立即失效', en: 'withdraw a key; it is refused at once' },
  args: ['ID'],
  options: {},
  client: true,
  examples: ['v8host key remove 01M8NZCDCB2EA5HZMZV0BE72CF --tenant factory-1'],
  async run(call) {
    const [id = ''] = call.args;
    const answer = await call.host().ask('DELETE', `${call.tenantPath()}/keys/${encodeURIComponent(id)}`);
    return showAnswer(call, answer, () => call.terminal.err(call.lang === 'zh' ? '已收回' : 'Withdrawn'));
  },
};

function rowOf(key: JsonObject): string[] {
  const { id, name, role, scopes, expiresAt } = key;
  const ends = typeof expiresAt === 'number' ? `${localTime('UTC').text(expiresAt).slice(0, 16)} UTC` : '';
  return [String(id), String(name), String(role), Array.isArray(scopes) ? scopes.join(',') : '', ends];
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new UsageError('--days 须为 1 到 3650 的整数', '--days is a whole number from 1 to 3650');
}
