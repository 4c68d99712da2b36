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
    outbound: 'Outbound requests of scripts',
    outboundRules: [
      'A script reaches public addresses over http and https. Private, loopback, link-local and cloud metadata addresses are refused; the check is made on the addresses a name resolves to, and the connection goes to exactly those. Every redirect is checked again.',
      '`outbound.allow` opens targets to every tenant, `outbound.tenants.{tenant}.allow` to one. An entry is a host (every port) or a host with its port, and is matched by the name in the URL.',
      "`outbound.tenants.{tenant}.credentials` lends secrets to scripts by name: a script writes `Credentials: 'erp'`, the host adds the headers, the secret never reaches the script. A credential is `bearer`, `user` with `password`, or `headers`.",
      'A credential goes to its `hosts` only: over https, and over plain http only where the entry names the port. It does not follow a redirect to another origin. It does not open a private target: list that under `allow`, too.',
      'The whole of `outbound.tenants` can come from a file: `V8HOST_OUTBOUND_TENANTS_FILE` names one with the JSON. Changes need a restart.',
    ],
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
    outbound: '脚本的外部请求',
    outboundRules: [
      '脚本可以用 http 和 https 访问公网地址。内网、本机、链路本地和云元数据地址被拒绝；检查针对域名解析出的地址，连接也只连到这些地址。每次重定向都重新检查。',
      '`outbound.allow` 向所有租户放行目标，`outbound.tenants.{租户}.allow` 只向一个租户放行。一项为主机（所有端口）或主机加端口，按 URL 中的名称匹配。',
      "`outbound.tenants.{租户}.credentials` 按名称把机密借给脚本：脚本写 `Credentials: 'erp'`，由主机加上请求头，机密不进入脚本。一个凭据为 `bearer`、`user` 加 `password`、或 `headers`。",
      '凭据只发送到它的 `hosts`：走 https；只有写明端口时才允许 http。重定向到其他源时不携带。它不会放行内网目标：内网目标须同时写在 `allow` 中。',
      '整个 `outbound.tenants` 可以来自文件：`V8HOST_OUTBOUND_TENANTS_FILE` 指定内容为 JSON 的文件。修改后需重启。',
    ],
  },
} as const;

const EXAMPLE = {
  tenant: 'acme',
  http: { port: 8080 },
  sandbox: { lanes: 4 },
  outbound: {
    allow: ['erp.internal:8443'],
    tenants: {
      acme: {
        allow: ['10.0.8.20:8080'],
        credentials: {
          erp: { hosts: ['erp.internal:8443'], bearer: '…' },
          wms: { hosts: ['10.0.8.20:8080'], user: 'acme', password: '…' },
          maps: { hosts: ['maps.example.com'], headers: { 'X-Api-Key': '…' } },
        },
      },
    },
  },
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
    `## ${text.outbound}`,
    '',
    ...text.outboundRules.map((rule) => `- ${rule}`),
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
