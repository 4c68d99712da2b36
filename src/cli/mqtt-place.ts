import { isJsonObject } from '../core/json.ts';
import type { BrokerListener } from '../ports/broker.ts';
import { askPassword } from './ask-password.ts';
import type { CommandCall } from './command.ts';
import { readPasswordFile } from './password-file.ts';
import { isSuccess } from './show-answer.ts';
import { UsageError } from './usage-error.ts';

/** Where the host's broker is for clients: `--broker`, else what the host tells of its listeners. */
export async function brokerUrl(call: CommandCall, given: string | undefined): Promise<string> {
  if (given !== undefined) return checked(given);
  const { result } = await call.host().ask('GET', `${call.tenantPath()}/mqtt`);
  const data = isSuccess(result) && isJsonObject(result.Data) ? result.Data : {};
  const listeners = (data.listeners ?? []) as unknown as readonly BrokerListener[];
  const found = listeners.find(({ kind }) => kind === 'mqtt') ?? listeners.find(({ kind }) => kind === 'mqtts');
  if (found !== undefined) return `${found.kind}://${new URL(call.login().url).hostname}:${found.port}`;
  throw new UsageError(
    '主机没有 MQTT 监听（或令牌无权查看）：用 --broker mqtt://主机:端口 指定',
    'The host has no MQTT listener, or the token may not see it: give --broker mqtt://host:port',
  );
}

function checked(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^mqtts?:$/.test(url.protocol) && url.port !== '' && url.username === '') return text;
  throw new UsageError('--broker 应形如 mqtt://主机:1883', '--broker looks like mqtt://host:1883');
}

/** A device's password: from a file, else asked for. */
export async function devicePassword(call: CommandCall, user: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return readPasswordFile(file);
  return askPassword(call.lang === 'zh' ? `${user} 的密码：` : `Password of ${user}: `);
}
