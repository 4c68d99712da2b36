import { counted } from '../../core/counted.ts';
import type { Lang } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { LeftOut, PushReport } from '../../ports/push.ts';
import type { Command, CommandCall } from '../command.ts';
import type { HostAnswer } from '../host-client.ts';
import { showDifferences } from '../push-diff.ts';
import { readScriptProject } from '../script-project.ts';
import { showAnswer } from '../show-answer.ts';
import { visibleText } from '../visible-text.ts';
import { askWatched, MANY, watched } from '../watched-work.ts';

/** `push`: sends a directory of scripts, all or nothing. */
export const push: Command = {
  name: 'push',
  summary: { zh: '推送目录中的脚本、队列绑定和表', en: 'push the scripts, bindings and tables of a directory' },
  args: ['DIR'],
  options: {
    'dry-run': { summary: { zh: '只检查，不写入', en: 'check without writing' } },
    prune: {
      summary: { zh: '删除以前推送过、现在没有的绑定', en: 'remove bindings of earlier pushes that are gone now' },
    },
  },
  client: true,
  examples: ['v8host push ./my-scripts --tenant demo', 'v8host push ./my-scripts --dry-run'],
  async run(call) {
    const files = readScriptProject(call.args[0] ?? '.');
    const dryRun = call.options['dry-run'] === true;
    const what = { zh: `正在推送 ${files.length} 个文件`, en: `pushing ${counted(files.length, 'file')}` };
    if (call.options.json !== true) await watched(call, what, (note) => showDifferences(call, files, note), MANY);
    const body = { files, prune: call.options.prune === true, dryRun };
    const answer = await askWatched(call, what, { method: 'PUT', path: `${call.tenantPath()}/engines`, body }, MANY);
    const code = showAnswer(call, answer, (data) => showReport(call, data, dryRun));
    if (call.options.json !== true) showRefusals(call, answer);
    return code;
  },
};

const WORDS = {
  zh: { added: '新增', changed: '修改', unchanged: '未变', pruned: '删除', tables: '建表', dryRun: '仅检查，未写入' },
  en: {
    added: 'added',
    changed: 'changed',
    unchanged: 'unchanged',
    pruned: 'removed',
    tables: 'tables',
    dryRun: 'checked only, nothing was written',
  },
} as const;

function showReport({ terminal, lang }: CommandCall, data: JsonValue, dryRun: boolean): void {
  const report = data as unknown as PushReport & Pushed;
  const words = WORDS[lang];
  for (const kind of ['added', 'changed', 'unchanged', 'pruned', 'tables'] as const) {
    if (report[kind].length > 0) terminal.out(`${words[kind]}: ${report[kind].map(visibleText).join(', ')}`);
  }
  // A host of an earlier version does not say what it leaves out.
  for (const each of report.leftOut ?? []) terminal.err(visibleText(leftOutText(each, lang)));
  if (dryRun) terminal.err(words.dryRun);
}

/** What the answer has beside the report. */
interface Pushed {
  readonly tables: readonly string[];
  readonly leftOut?: readonly LeftOut[];
}

/** Such as `warning: table parcel is there already … left out: field Grams; Rows[0]`. */
function leftOutText({ table, fields, rows }: LeftOut, lang: Lang): string {
  const places = rows.map((index) => `Rows[${index}]`);
  const named = fields.length === 0 ? [] : [`${lang === 'zh' ? '字段 ' : 'fields '}${fields.join(', ')}`];
  const what = [...named, ...(places.length === 0 ? [] : [places.join(', ')])].join('; ');
  return lang === 'zh'
    ? `警告：表 ${table} 已存在，保持不变；tables.json 中未执行的有：${what}`
    : `warning: table ${table} is there already and stays as it is; left out of tables.json: ${what}`;
}

/** Each refusal as `file:line:column message`, which editors make clickable. */
function showRefusals({ terminal }: CommandCall, { result }: HostAnswer): void {
  const refusals = isJsonObject(result.Data) ? result.Data.refusals : undefined;
  if (!Array.isArray(refusals)) return;
  for (const { file, line, column, message } of refusals) {
    const place = [file, line, column].filter((part) => part !== null).join(':');
    const said = String(message);
    terminal.err(visibleText(place === '' || said.startsWith(place) ? said : `${place} ${said}`));
  }
}
