import type { Lang } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { DiffLine } from '../../core/line-diff.ts';
import { type Command, type CommandCall, textOption } from '../command.ts';
import { type LocalTime, localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';
import { visibleText } from '../visible-text.ts';

/** `versions`: every source that an engine has had, or what changed since one of them. */
export const versions: Command = {
  name: 'versions',
  summary: {
    zh: '查看引擎的版本，或某个版本之后的改动',
    en: 'list the versions of an engine, or show what changed since one',
  },
  args: ['KEY'],
  options: {
    diff: {
      value: 'NO',
      summary: { zh: '显示从该版本到现在的改动', en: 'show what changed from this version to now' },
    },
    limit: { value: 'N', summary: { zh: '最多显示 N 个版本', en: 'of the latest N versions' } },
  },
  client: true,
  examples: ['v8host versions order-intake --tenant demo', 'v8host versions order-intake --diff 3'],
  async run(call) {
    const path = `${call.tenantPath()}/engines/${encodeURIComponent(call.args[0] ?? '')}`;
    const from = textOption(call, 'diff');
    if (from !== undefined) {
      const answer = await call.host().ask('GET', `${path}/diff?${new URLSearchParams({ from })}`);
      return showAnswer(call, answer, (data) => showDiff(call, data));
    }
    const limit = textOption(call, 'limit') ?? '50';
    const answer = await call.host().ask('GET', `${path}/versions?${new URLSearchParams({ limit })}`);
    return showAnswer(call, answer, (data) => {
      for (const line of tableLines([HEAD[call.lang], ...rowsOf(data, localTimeOf(answer))])) call.terminal.out(line);
    });
  },
};

const HEAD: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['编号', '时间', '来源', '作者', '版本'],
  en: ['NO', 'TIME', 'FROM', 'AUTHOR', 'VERSION'],
};

interface Shown {
  readonly no: number;
  readonly version: string;
  readonly origin: string;
  readonly restoredFrom: number | null;
  readonly author: string;
  readonly savedAt: number;
}

function rowsOf(data: JsonValue, time: LocalTime): string[][] {
  return (data as unknown as readonly Shown[]).map((row) => {
    const origin = row.restoredFrom === null ? row.origin : `${row.origin} ${row.restoredFrom}`;
    return [String(row.no), time.text(row.savedAt), origin, row.author, row.version];
  });
}

function showDiff({ terminal }: CommandCall, data: JsonValue): void {
  const { lines } = data as unknown as { readonly lines: readonly (DiffLine | null)[] };
  for (const line of lines) terminal.out(line === null ? '…' : `${line.sign} ${visibleText(line.text)}`);
}
