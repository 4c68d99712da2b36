/** A command whose bars are kept with the version. */
export interface ResultCommand {
  readonly name: string;
  /** As somebody types it. */
  readonly typed: string;
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly about: { readonly en: string; readonly zh: string };
  readonly limitSeconds: number;
  /** False for what takes too long to be made anew with the others; `--only` names it. */
  readonly isUsual: boolean;
}

const MINUTE = 60;

export const RESULT_COMMANDS: readonly ResultCommand[] = [
  bench('invoke', 'runs of scripts in lanes', '沙箱中脚本的运行'),
  bench('queue', 'messages with inbox, beside a hand-written consumer', '带收件箱的消息，对照手写消费者'),
  bench('publish', 'sent messages, beside a hand-written publisher', '发送消息，对照手写发送者'),
  bench('formengine', 'FormEngine, beside hand-written SQL', 'FormEngine，对照手写 SQL'),
  bench('api', 'engines over HTTP, beside a bare route', 'HTTP 上的接口引擎，对照空路由'),
  bench('mqtt', 'the MQTT broker', 'MQTT 服务'),
  bench('reconcile', 'bindings and tenants that are read again', '重新读取绑定和租户'),
  {
    ...bench('inbox', 'an inbox of five million rows beside one of ten thousand', '五百万行的收件箱对照一万行的'),
    limitSeconds: 60 * MINUTE,
    isUsual: false,
  },
  script('chaos', ['--messages', '20000'], 40 * MINUTE, {
    en: 'messages over three hosts while hosts, lanes, database, queue and cache are killed, frozen, cut and slowed',
    zh: '三台主机处理消息，期间主机、沙箱、数据库、队列和缓存被杀、冻结、断开和减速',
  }),
  script('load', ['--minutes', '10', '--seed', '7'], 20 * MINUTE, {
    en: 'a day of a factory group in ten minutes, every effect checked',
    zh: '十分钟演完工厂集团的一天，检查每个效果',
  }),
  {
    ...script('soak', ['--minutes', '60'], 80 * MINUTE, {
      en: 'the whole host under a steady mixed load for an hour',
      zh: '整台主机在均匀的混合负载下一小时',
    }),
    isUsual: false,
  },
];

function bench(name: string, en: string, zh: string): ResultCommand {
  const typed = `npm run bench -- ${name}`;
  const args = ['scripts/bench.ts', name];
  return { name: `bench-${name}`, typed, args, about: { en, zh }, limitSeconds: 10 * MINUTE, isUsual: true };
}

function script(
  name: string,
  options: readonly string[],
  limitSeconds: number,
  about: ResultCommand['about'],
): ResultCommand {
  const typed = `npm run ${name} -- ${options.join(' ')}`;
  return { name, typed, args: [`scripts/${name}.ts`, ...options], about, limitSeconds, isUsual: true };
}
