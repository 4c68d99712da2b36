import { type Command, type CommandCall, EXIT, type Text, textOption } from '../command.ts';
import { type DeviceAccount, IsolationCheck, type IsolationRow } from '../isolation-check.ts';
import { brokerUrl, devicePassword } from '../mqtt-place.ts';
import { withProbePair } from '../probe-pair.ts';
import { UsageError } from '../usage-error.ts';

/** What a shell makes of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** `selftest isolation`: tries at the running broker every way from one tenant to another. */
export const selftestIsolation: Command = {
  name: 'selftest isolation',
  summary: {
    zh: '用两个临时租户（自动建立并删除）检查 MQTT 租户隔离；也可以指定两个设备账号',
    en: 'check with two tenants, made for it and removed again, that MQTT keeps tenants apart; or with two accounts given',
  },
  args: ['[TENANT:ACCOUNT]', '[TENANT:ACCOUNT]'],
  options: {
    'first-password-file': { value: 'FILE', summary: passwordOf('第一个账号', 'the first account') },
    'second-password-file': { value: 'FILE', summary: passwordOf('第二个账号', 'the second account') },
    broker: {
      value: 'URL',
      summary: {
        zh: 'mqtt:// 或 mqtts:// 地址，默认询问主机',
        en: 'mqtt:// or mqtts:// address, by default the host is asked',
      },
    },
  },
  client: true,
  examples: [
    'v8host selftest isolation',
    'v8host selftest isolation test-a:device test-b:device --first-password-file a.txt --second-password-file b.txt',
  ],
  exits: {
    1: { zh: '有未隔离之处，或无法检查', en: 'a breach, or nothing could be tried' },
    [INTERRUPTED]: { zh: '被 Ctrl-C 结束', en: 'ended by Ctrl-C' },
  },
  async run(call) {
    const url = await brokerUrl(call, textOption(call, 'broker'));
    const tryAll = (a: DeviceAccount, b: DeviceAccount): Promise<number> => check(call, url, a, b);
    if (call.args.length === 0) return (await withProbePair(call, tryAll)) ?? INTERRUPTED;
    const [first = '', second] = call.args;
    if (second === undefined) {
      throw new UsageError('请指定两个账号，或都不指定', 'Give two accounts, or none');
    }
    const a = await accountOf(call, first, 'first-password-file');
    const b = await accountOf(call, second, 'second-password-file');
    if (a.tenant.toLowerCase() === b.tenant.toLowerCase()) {
      throw new UsageError('两个账号须属于不同租户', 'The two accounts belong to different tenants');
    }
    return tryAll(a, b);
  },
};

const VERDICT: Readonly<Record<string, string>> = { true: 'ok    ', false: 'BREACH' };

async function check(call: CommandCall, url: string, a: DeviceAccount, b: DeviceAccount): Promise<number> {
  const ways = new IsolationCheck(url, (options) => call.hostCommands.openMqttLink(options));
  const rows: IsolationRow[] = [];
  for await (const row of ways.run(a, b)) {
    rows.push(row);
    if (call.options.json !== true) call.terminal.out(`${VERDICT[String(row.isolated)]}  ${row.way}  ${row.what}`);
  }
  return conclude(call, rows);
}

function conclude({ terminal, lang, options }: CommandCall, rows: readonly IsolationRow[]): number {
  const breaches = rows.filter(({ isolated }) => !isolated).length;
  const sum =
    lang === 'zh' ? `检查 ${rows.length} 项，未隔离 ${breaches} 项` : `${rows.length} ways tried, ${breaches} breaches`;
  if (options.json === true) {
    const data = rows.map((row) => ({ ...row }));
    terminal.out(JSON.stringify({ Code: breaches === 0 ? 1 : 0, Data: data, DataCount: rows.length, Msg: sum }));
  } else terminal.err(sum);
  return breaches === 0 ? EXIT.ok : EXIT.failed;
}

async function accountOf(call: CommandCall, user: string, option: string): Promise<DeviceAccount> {
  const at = user.indexOf(':');
  if (at <= 0) throw new UsageError(`账号应形如 租户:账号：${user}`, `An account looks like TENANT:ACCOUNT: ${user}`);
  return { tenant: user.slice(0, at), user, password: await devicePassword(call, user, textOption(call, option)) };
}

function passwordOf(zh: string, en: string): Text {
  return { zh: `${zh}的密码文件，不写则询问`, en: `file with the password of ${en}, which is asked for without it` };
}
