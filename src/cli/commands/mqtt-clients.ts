import type { Lang } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { Command } from '../command.ts';
import { type LocalTime, localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** `mqtt clients`: devices with a session, connected or not. */
export const mqttClients: Command = {
  name: 'mqtt clients',
  summary: { zh: '列出 MQTT 设备', en: 'list the MQTT clients' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host mqtt clients'],
  async run(call) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/mqtt/clients`);
    const time = localTimeOf(answer);
    return showAnswer(call, answer, (data) => {
      const rows = clientRows(data, time);
      if (rows.length === 0) call.terminal.err(NONE[call.lang]);
      else for (const line of tableLines([headOf(call.lang, time), ...rows])) call.terminal.out(line);
    });
  },
};

const NONE: Readonly<Record<Lang, string>> = { zh: '没有设备', en: 'No clients' };

function headOf(lang: Lang, { zone }: LocalTime): readonly string[] {
  return lang === 'zh'
    ? ['设备', '在线', '地址', `连接时间 (${zone})`, '订阅', '待发', '丢弃']
    : ['CLIENT ID', 'ONLINE', 'ADDRESS', `SINCE (${zone})`, 'SUBSCRIPTIONS', 'QUEUED', 'DROPPED'];
}

function clientRows(data: JsonValue, time: LocalTime): string[][] {
  const rows = Array.isArray(data) ? data.filter(isJsonObject) : [];
  return rows.map((row) => [
    String(row.clientId),
    row.online === true ? '✓' : '-',
    String(row.address ?? '-'),
    typeof row.connectedAt === 'number' ? time.text(row.connectedAt) : '-',
    String(Array.isArray(row.subscriptions) ? row.subscriptions.length : 0),
    String(row.queued),
    String(row.dropped),
  ]);
}
