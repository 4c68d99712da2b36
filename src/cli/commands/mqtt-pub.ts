import type { Lang } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { showAnswer } from '../show-answer.ts';

/** `mqtt pub`: publishes to the tenant's devices. Prints how many sessions it goes to. */
export const mqttPub: Command = {
  name: 'mqtt pub',
  summary: { zh: '向 MQTT 设备发布一条消息', en: 'publish a message to MQTT clients' },
  args: ['TOPIC', 'PAYLOAD'],
  options: {
    qos: { value: '0|1|2', summary: { zh: '服务质量，默认 0', en: 'quality of service, by default 0' } },
    retain: { summary: { zh: '保留消息', en: 'retain the message' } },
  },
  client: true,
  examples: [`v8host mqtt pub cmd/meter-1 '{"Restart":true}' --qos 1`],
  async run(call) {
    const [topic = '', payload = ''] = call.args;
    const qos = Number(textOption(call, 'qos') ?? 0);
    const body = JSON.stringify({ topic, payload, qos, retain: call.options.retain === true });
    const answer = await call.host().ask('POST', `${call.tenantPath()}/mqtt/publish`, body);
    return showAnswer(call, answer, (data) => {
      const subscribers = isJsonObject(data) ? Number(data.subscribers) : 0;
      call.terminal.err(SENT[call.lang](subscribers));
    });
  },
};

const SENT: Readonly<Record<Lang, (subscribers: number) => string>> = {
  zh: (subscribers) => `已发布，当前订阅的会话数：${subscribers}`,
  en: (subscribers) => `Published; sessions that have subscribed: ${subscribers}`,
};
