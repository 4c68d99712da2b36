import mqttPacket from 'mqtt-packet';
import { LoadClient, type Login } from './load-client.ts';

export interface Load {
  readonly qos: 0 | 1;
  /** Subscribers of the one topic; 0 counts acknowledgements instead. */
  readonly subscribers: number;
  readonly publishers: number;
  readonly seconds: number;
}

/** Messages of one publisher on their way at once: below every receive maximum, and none is dropped for want of room. */
const WINDOW = 64;

const PAYLOAD = JSON.stringify({ Temp: 21.5, Device: 'meter-1', At: '2026-01-01 00:00:00' });

let runs = 0;

/** Messages per second that arrive at subscribers, or are acknowledged where there are none. */
export async function throughput(login: Login, { qos, subscribers, publishers, seconds }: Load): Promise<number> {
  const topic = `bench/${++runs}`;
  const readers = await Promise.all(
    Array.from({ length: subscribers }, (_, n) => LoadClient.open(`r${runs}-${n}`, login)),
  );
  for (const reader of readers) await reader.subscribe(topic, qos, login.version);
  const writers = await Promise.all(
    Array.from({ length: publishers }, (_, n) => LoadClient.open(`p${runs}-${n}`, login)),
  );
  const done = (): number =>
    readers.length > 0
      ? Math.min(...readers.map(({ received }) => received))
      : writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const finished = Promise.withResolvers<number>();
  const from = performance.now();
  let sent = 0;
  const more = (): void => {
    if (performance.now() - from >= seconds * 1000) {
      finished.resolve(done());
      return;
    }
    for (let room = WINDOW * publishers - (sent - done()); room > 0; room--) {
      (writers[sent % writers.length] as LoadClient).write(publishBytes(topic, qos, sent, login.version));
      sent++;
    }
  };
  for (const client of [...readers, ...writers]) client.onProgress = more;
  more();
  const late = setTimeout(() => finished.resolve(done()), seconds * 1000 + 5_000);
  const messages = await finished.promise;
  clearTimeout(late);
  const took = (performance.now() - from) / 1000;
  for (const client of [...readers, ...writers]) client.end();
  return (messages * Math.max(1, subscribers)) / took;
}

const templates = new Map<string, Buffer>();

function publishBytes(topic: string, qos: 0 | 1, n: number, protocolVersion: 4 | 5): Buffer {
  const key = `${topic} ${protocolVersion}`;
  let template = templates.get(key);
  if (template === undefined) {
    const packet = { cmd: 'publish', topic, payload: PAYLOAD, qos, retain: false, dup: false, messageId: 1 } as const;
    template = mqttPacket.generate(packet, { protocolVersion });
    templates.set(key, template);
  }
  if (qos === 0) return template;
  const bytes = Buffer.from(template);
  // Behind one byte of type, one of length and the topic with its length.
  bytes.writeUInt16BE((n % 65_535) + 1, 4 + Buffer.byteLength(topic));
  return bytes;
}
