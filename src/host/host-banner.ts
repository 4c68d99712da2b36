import { join, relative } from 'node:path';
import { cwd, versions } from 'node:process';
import type { Lang } from '../core/errors.ts';
import { shellWord } from '../core/shell-word.ts';
import type { BrokerListener } from '../ports/broker.ts';

export interface BannerFacts {
  readonly version: string;
  /** What database, queue and cache the host runs on, such as `SQLite, embedded queue`. */
  readonly engines: string;
  readonly tenant: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly timezone: string;
  readonly url: string;
  /** Makes the first administrator; undefined once there is one. */
  readonly setupLink: string | undefined;
  /** The default port was taken. */
  readonly movedFrom: number | undefined;
  /** The sample scripts are there to be called. */
  readonly demo: boolean;
  /** Somebody decided about the demo; otherwise a start without it says how to get it. */
  readonly demoChosen: boolean;
  /** The host made its own token, which stands in the data directory. */
  readonly tokenInFile: boolean;
  /** Where devices reach the broker; empty without one. */
  readonly mqtt: readonly BrokerListener[];
  /** Another host of the database runs the broker. */
  readonly mqttStandby: boolean;
  /** The demo's device account is in force, whose password is in the data directory. */
  readonly mqttAccount: boolean;
  readonly lang: Lang;
}

/** What a start prints last: what runs where, and what to try next, ready to paste (defaults.md 4). */
export function hostBanner(facts: BannerFacts): string {
  const { version, tenant, timezone, url, movedFrom, demo, demoChosen, lang } = facts;
  const parts = [
    `v8-engine-host ${version}`,
    `Node ${versions.node}`,
    `tenant ${tenant}`,
    facts.engines,
    `data ${shortPath(facts.dataDir)}`,
    timezone,
  ];
  const lines = [parts.join(' · '), url, ...mqttLines(facts)];
  if (movedFrom !== undefined) lines.push(PORT_MOVED[lang](movedFrom, url));
  if (!demo && !demoChosen) lines.push(NO_DEMO[lang]);
  if (facts.setupLink !== undefined) lines.push(FIRST_ADMIN[lang](facts.setupLink));
  const commands = [...reachCommands(facts), ...(demo ? demoCommands(facts) : ownCommands(tenant))];
  return [...lines, '', demo ? TRY_DEMO[lang] : TRY_OWN[lang], ...commands.map((command) => `  ${command}`)].join('\n');
}

/** The addresses of the broker, and a message from a device, ready to paste. */
function mqttLines({ mqtt, mqttStandby, mqttAccount, tenant, dataDir, lang }: BannerFacts): string[] {
  const addresses = mqtt.map(({ kind, bind, port }) => `${kind}://${bind.includes(':') ? `[${bind}]` : bind}:${port}`);
  if (mqttStandby) return mqtt.length === 0 ? [STANDBY[lang]] : [addresses.join(' · '), RELAY[lang]];
  if (mqtt.length === 0) return [];
  const plain = mqtt.find(({ kind }) => kind === 'mqtt');
  if (plain === undefined || !mqttAccount) return [addresses.join(' · ')];
  const password = `"$(cat ${shellWord(join(shortPath(dataDir), 'mqtt.password'))})"`;
  const login = `-p ${plain.port} -u ${tenant}:device -P ${password}`;
  return [addresses.join(' · '), `mosquitto_pub ${login} -i meter-1 -q 1 -t sensor/meter-1 -m '{"Temp":21.5}'`];
}

const STANDBY: Record<Lang, string> = {
  zh: 'MQTT：使用同一数据库的另一台主机正在运行 MQTT 服务，本机不运行；它停止后由本机接管',
  en: 'MQTT: another host on this database runs the broker, this one does not; it takes over when that one is gone',
};

const RELAY: Record<Lang, string> = {
  zh: 'MQTT：由使用同一数据库的另一台主机处理，设备可经本机连接；它停止后由本机接管',
  en: 'MQTT: another host on this database runs the broker; devices reach it through this one, which takes over when it is gone',
};

const PORT_MOVED: Record<Lang, (port: number, url: string) => string> = {
  zh: (port, url) => `端口 ${port} 已被占用，改用 ${url}（在配置中设置 http.port 可固定端口）`,
  en: (port, url) => `Port ${port} is taken, listening at ${url} instead (set http.port to fix it)`,
};

const FIRST_ADMIN: Record<Lang, (link: string) => string> = {
  zh: (link) => `建立第一个管理员（链接只能用一次）：${link}`,
  en: (link) => `Make the first administrator (the link works once): ${link}`,
};

const NO_DEMO: Record<Lang, string> = {
  zh: '有自己的配置，未建立演示内容；需要时设置 demo 为 true（V8HOST_DEMO=true）',
  en: 'No demo, because something is configured; for one set demo to true (V8HOST_DEMO=true)',
};

const TRY_DEMO: Record<Lang, string> = {
  zh: '在另一个终端里试试：下同一个订单两次，库存只减少一次。',
  en: 'Try in another terminal: take the same order in twice, and the stock falls once.',
};

const TRY_OWN: Record<Lang, string> = {
  zh: '接下来：上传脚本，发送消息，查看它的经过。',
  en: 'Next: upload scripts, send a message, read its story.',
};

/** The command line looks for a host's address and token in `./data`; another folder must be named to it. */
function reachCommands({ dataDir }: BannerFacts): string[] {
  return dataDir === join(cwd(), 'data') ? [] : [`export V8HOST_DATA_DIR=${shellWord(dataDir)}`];
}

/** The same engine as other systems call it. */
function curlCommand({ url, tenant, dataDir, tokenInFile }: BannerFacts): string {
  const token = tokenInFile ? `$(cat ${shellWord(join(shortPath(dataDir), 'admin.token'))})` : '$V8HOST_TOKEN';
  return `curl '${url}/apiengine/stock-show?OsClient=${tenant}&Sku=P-1' -H "Authorization: Bearer ${token}"`;
}

function demoCommands(facts: BannerFacts): string[] {
  const { tenant } = facts;
  const option = tenant === 'demo' ? '' : ` --tenant ${tenant}`;
  const order = `npx v8host run order-intake --param '{"OrderId":"A-1","Sku":"P-1","Qty":2}'${option}`;
  return [
    order,
    order,
    `npx v8host run stock-show --param '{"Sku":"P-1"}'${option}`,
    curlCommand(facts),
    `npx v8host trace order-A-1${option}`,
  ];
}

function ownCommands(tenant: string): string[] {
  return [
    `npx v8host push ./my-scripts --tenant ${tenant}`,
    `npx v8host send my-queue '{"Hello":1}' --event-id hello-1 --tenant ${tenant}`,
    `npx v8host trace hello-1 --tenant ${tenant}`,
  ];
}

/** Inside the working directory a path reads better without it. */
function shortPath(path: string): string {
  const below = relative(cwd(), path);
  return below === '' || below.startsWith('..') ? path : `./${below}`;
}
