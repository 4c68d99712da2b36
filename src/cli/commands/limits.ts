import type { CircuitView } from '../../app/circuit-book.ts';
import type { TenantLimits } from '../../app/read-limits.ts';
import type { Lang } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Command } from '../command.ts';
import { type LocalTime, localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** `limits`: what limits each engine of a tenant, and what is paused. */
export const limits: Command = {
  name: 'limits',
  summary: {
    zh: '查看接口引擎的限额、暂停的引擎和熔断的队列',
    en: 'show limits of engines, paused engines and breakers',
  },
  args: [],
  options: {},
  client: true,
  examples: ['v8host limits --tenant demo'],
  async run(call) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/limits`);
    const time = localTimeOf(answer);
    return showAnswer(call, answer, (data) => {
      const shown = data as unknown as JsonValue & Omit<TenantLimits, 'load'>;
      for (const line of tableLines([ENGINE_HEAD[call.lang], ...engineRows(shown)])) call.terminal.out(line);
      const paused = [...pausedRows('binding', shown.breakers, time), ...pausedRows('engine', shown.pauses, time)];
      if (paused.length === 0) return;
      call.terminal.out('');
      for (const line of tableLines([PAUSED_HEAD[call.lang], ...paused])) call.terminal.out(line);
    });
  },
};

const ENGINE_HEAD: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['引擎', '时间 (秒)', 'CPU (秒)', '内存 (MB)', '说明'],
  en: ['ENGINE', 'TIME (s)', 'CPU (s)', 'HEAP (MB)', 'NOTE'],
};

const PAUSED_HEAD: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['暂停', '名称', '状态', '再次尝试'],
  en: ['PAUSED', 'NAME', 'STATE', 'TRIED AGAIN'],
};

function engineRows({ engines }: Pick<TenantLimits, 'engines'>): string[][] {
  return engines.map(({ key, limits: each, warnings }) => [
    key,
    String(each.wallMs / 1000),
    String(each.cpuMs / 1000),
    String(each.heapMb),
    warnings.join(' '),
  ]);
}

function pausedRows(kind: string, circuits: readonly CircuitView[], time: LocalTime): string[][] {
  return circuits
    .filter(({ phase }) => phase !== 'closed')
    .map(({ subject, phase, until }) => [kind, subject, phase, until === undefined ? '' : time.text(until)]);
}
