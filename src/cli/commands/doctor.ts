import type { Lang } from '../../core/errors.ts';
import type { Finding, FindingArea, FindingLevel } from '../../core/finding.ts';
import { type Command, type CommandCall, EXIT, textOption } from '../command.ts';
import { runningHostFindings } from '../running-host.ts';
import { tableLines } from '../text-table.ts';

/** `doctor`: looks over everything that the host stands on, whether it runs or not, and says what to change. */
export const doctor: Command = {
  name: 'doctor',
  summary: {
    zh: '检查配置、连接、权限和运行中的主机，并说明如何修改',
    en: 'check configuration, connections, permissions and the running host, and say what to change',
  },
  args: [],
  options: {
    problems: { summary: { zh: '只显示问题和注意事项', en: 'leave out what is as it should be' } },
  },
  client: true,
  examples: ['v8host doctor', 'v8host doctor --config /etc/v8host.config.json --json', 'v8host doctor --problems'],
  exits: { 1: { zh: '有问题', en: 'there is a problem' } },
  async run(call) {
    const running = await runningHostFindings(call);
    const configFile = textOption(call, 'config');
    const examined = await call.hostCommands.examineHost({
      hostRuns: running.hostRuns,
      progress: (area) => call.terminal.progress?.(area),
      ...(configFile === undefined ? {} : { configFile }),
    });
    const findings = [...examined, ...running.findings];
    show(call, findings);
    return findings.some(({ level }) => level === 'problem') ? EXIT.failed : EXIT.ok;
  },
};

function show(call: CommandCall, findings: readonly Finding[]): void {
  const { terminal, lang, options } = call;
  const shown = options.problems === true ? findings.filter(({ level }) => level !== 'ok') : findings;
  const count = (level: FindingLevel): number => findings.filter((finding) => finding.level === level).length;
  const sum = SUM[lang](count('problem'), count('notice'));
  if (options.json === true) {
    const rows = shown.map(({ text, ...finding }) => ({ ...finding, text: text[lang] }));
    const Code = count('problem') === 0 ? 1 : 0;
    terminal.out(JSON.stringify({ Code, Data: rows, DataCount: rows.length, Msg: sum }));
    return;
  }
  const lines = shown.flatMap(({ area, level, subject, text }) => {
    const [first = '', ...more] = text[lang].split('\n');
    // The sentence of an error may have several lines.
    return [[LEVEL[lang][level], AREA[lang][area], subject, first], ...more.map((line) => ['', '', '', line])];
  });
  for (const line of tableLines(lines)) terminal.out(line);
  terminal.err(sum);
}

const SUM: Readonly<Record<Lang, (problems: number, notices: number) => string>> = {
  zh: (problems, notices) => `问题 ${problems} 个，注意事项 ${notices} 个`,
  en: (problems, notices) => `problems: ${problems}, notices: ${notices}`,
};

const LEVEL: Readonly<Record<Lang, Readonly<Record<FindingLevel, string>>>> = {
  zh: { ok: '正常', notice: '注意', problem: '问题' },
  en: { ok: 'ok', notice: 'NOTICE', problem: 'PROBLEM' },
};

const AREA: Readonly<Record<Lang, Readonly<Record<FindingArea, string>>>> = {
  zh: {
    config: '配置',
    data: '数据目录',
    secrets: '密钥',
    ports: '端口',
    sandbox: '沙箱',
    database: '数据库',
    tenant: '租户',
    queue: '队列',
    cache: '缓存',
    documents: '文档',
    mqtt: 'MQTT',
    clock: '时钟',
    host: '主机',
  },
  en: {
    config: 'config',
    data: 'data',
    secrets: 'secrets',
    ports: 'ports',
    sandbox: 'sandbox',
    database: 'database',
    tenant: 'tenant',
    queue: 'queue',
    cache: 'cache',
    documents: 'documents',
    mqtt: 'mqtt',
    clock: 'clock',
    host: 'host',
  },
};
