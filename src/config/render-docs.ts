/** The configuration page of the documentation, made from the schema. */
import type { Lang } from '../core/errors.ts';
import { SETTING_LIST, type Setting } from './setting-list.ts';

const TEXTS = {
  en: {
    title: 'Configuration',
    note: 'This page is generated from the schema (`src/config/settings-schema.ts`) by `npm run docs`.',
    rules: [
      'Settings are read from `v8host.config.json` in the working directory, or from the file that `--config` or `V8HOST_CONFIG` names, and from the environment. The environment goes before the file, an empty variable counts as absent.',
      'In the file the name is a path: `{"http": {"port": 8080}}` sets `http.port`. In the environment it is `V8HOST_` and the path in upper snake case.',
      'A secret can also be given as a file: append `_FILE` to its variable.',
      'An unknown key or `V8HOST_` variable is refused with the nearest known name. All problems are reported at once, each with its path and rule.',
      'The command line reads `V8HOST_URL` and `V8HOST_TOKEN` (or `V8HOST_TOKEN_FILE`) to find a running host; they are no settings of the host.',
    ],
    columns: ['setting', 'variable', 'default', 'values', 'meaning'],
    example: 'Example',
  },
  zh: {
    title: '配置',
    note: '本页由 `npm run docs` 根据配置结构（`src/config/settings-schema.ts`）生成。',
    rules: [
      '设置来自启动目录下的 `v8host.config.json`（或 `--config`、`V8HOST_CONFIG` 指定的文件）和环境变量。环境变量优先于文件，空变量视为未设置。',
      '在文件中名称是路径：`{"http": {"port": 8080}}` 设置 `http.port`。环境变量名为 `V8HOST_` 加上大写、下划线分隔的路径。',
      '机密也可以放在文件里：在变量名后加 `_FILE`。',
      '未知的键或 `V8HOST_` 变量会被拒绝，并提示最接近的名称。所有问题一次列出，包含路径和规则。',
      '命令行用 `V8HOST_URL` 和 `V8HOST_TOKEN`（或 `V8HOST_TOKEN_FILE`）连接运行中的主机，它们不是主机的设置。',
    ],
    columns: ['设置', '环境变量', '默认值', '取值', '含义'],
    example: '示例',
  },
} as const;

const EXAMPLE = {
  tenant: 'acme',
  http: { port: 8080 },
  sandbox: { lanes: 4 },
  outbound: { allow: ['erp.internal:8443'] },
};

/** The whole page in Markdown. */
export function renderConfigurationPage(lang: Lang): string {
  const text = TEXTS[lang];
  const lines = [
    `# ${text.title}`,
    '',
    text.note,
    '',
    ...text.rules.map((rule) => `- ${rule}`),
    '',
    row(text.columns),
    row(text.columns.map(() => '---')),
    ...SETTING_LIST.map((setting) => settingRow(setting, lang)),
    '',
    `## ${text.example}`,
    '',
    '```json',
    JSON.stringify(EXAMPLE, null, 2),
    '```',
  ];
  return `${lines.join('\n')}\n`;
}

function settingRow({ path, variable, doc, preset, range }: Setting, lang: Lang): string {
  const standard = doc.computedDefault?.[lang] ?? `\`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\``;
  return row([`\`${path}\``, `\`${variable}\``, standard, range, doc[lang]]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
