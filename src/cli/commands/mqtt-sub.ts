import { randomUUID } from 'node:crypto';
import { AppError } from '../../core/errors.ts';
import type { MqttLinkMessage } from '../../ports/mqtt-link.ts';
import { type Command, type CommandCall, EXIT, textOption } from '../command.ts';
import { brokerUrl, devicePassword } from '../mqtt-place.ts';
import { UsageError } from '../usage-error.ts';
import { visibleText } from '../visible-text.ts';

/** `mqtt sub`: shows messages as a device of the tenant gets them, until Ctrl-C. */
export const mqttSub: Command = {
  name: 'mqtt sub',
  summary: { zh: '以设备身份订阅并持续显示消息', en: 'subscribe as a device and show messages until Ctrl-C' },
  args: ['FILTER'],
  options: {
    user: { value: 'TENANT:ACCOUNT', summary: { zh: '设备的用户名', en: "the device's user name" } },
    'password-file': {
      value: 'FILE',
      summary: { zh: '存放密码的文件，不写则询问', en: 'file with the password, which is asked for without it' },
    },
    broker: {
      value: 'URL',
      summary: {
        zh: 'mqtt:// 或 mqtts:// 地址，默认询问主机',
        en: 'mqtt:// or mqtts:// address, by default the host is asked',
      },
    },
    count: { value: 'N', summary: { zh: '收到 N 条后结束', en: 'end after N messages' } },
  },
  client: true,
  examples: [`v8host mqtt sub 'sensor/#' --user demo:device --password-file data/mqtt.password`],
  exits: { 130: { zh: '被 Ctrl-C 结束', en: 'ended by Ctrl-C' } },
  async run(call) {
    const [filter = ''] = call.args;
    const user = textOption(call, 'user');
    if (user === undefined) throw new UsageError('缺少 --user 租户:账号', '--user TENANT:ACCOUNT is missing');
    const count = readCount(textOption(call, 'count'));
    const url = await brokerUrl(call, textOption(call, 'broker'));
    const password = await devicePassword(call, user, textOption(call, 'password-file'));
    return follow(call, { url, user, password, filter, count });
  },
};

interface Subscription {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly filter: string;
  readonly count: number;
}

async function follow(call: CommandCall, { filter, count, ...login }: Subscription): Promise<number> {
  let left = count;
  const enough = Promise.withResolvers<'enough'>();
  const onMessage = (message: MqttLinkMessage): void => {
    if (left <= 0) return;
    show(call, message);
    left -= 1;
    if (left <= 0) enough.resolve('enough');
  };
  const link = await call.hostCommands.openMqttLink({ ...login, clientId: `v8host-sub-${randomUUID()}`, onMessage });
  if (link === undefined) {
    call.terminal.err(call.lang === 'zh' ? '主机拒绝了此用户名或密码' : 'The broker refuses this user or password');
    return EXIT.failed;
  }
  if (!(await link.subscribe(filter, 1))) {
    call.terminal.err(call.lang === 'zh' ? `主机拒绝了订阅 ${filter}` : `The broker refuses the filter ${filter}`);
    await link.end();
    return EXIT.failed;
  }
  call.terminal.err(call.lang === 'zh' ? `已订阅 ${filter}，Ctrl-C 结束` : `Subscribed to ${filter}; Ctrl-C ends`);
  const end = await Promise.race([enough.promise, link.closed]);
  if (end !== 'enough') throw new AppError('HOST_UNREACHABLE', { url: login.url, reason: 'closed' });
  await link.end();
  return EXIT.ok;
}

function show({ terminal, options }: CommandCall, { topic, payload, qos, retain }: MqttLinkMessage): void {
  const text = new TextDecoder().decode(payload);
  const isText = Buffer.from(text).equals(payload);
  if (options.json === true) {
    const shown = isText ? { payload: text } : { payloadBase64: Buffer.from(payload).toString('base64') };
    terminal.out(JSON.stringify({ topic, qos, retain, ...shown }));
    return;
  }
  terminal.out(visibleText(`${topic}  ${isText ? text : `(${payload.byteLength} bytes)`}`));
}

function readCount(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--count 须为正整数：${text}`, `--count must be a whole number from 1: ${text}`);
}
