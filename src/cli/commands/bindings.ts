import type { BindingStatus } from '../../app/binding-status.ts';
import type { Lang } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Command } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** `bindings`: how each binding of a tenant does on the host, and what is wrong or doubtful about its queue. */
export const bindings: Command = {
  name: 'bindings',
  summary: {
    zh: '查看队列绑定的状态和预检结果',
    en: 'show the bindings of queues, their state and what was found about them',
  },
  args: [],
  options: {},
  client: true,
  examples: ['v8host bindings --tenant demo'],
  async run(call) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/binding-states`);
    return showAnswer(call, answer, (data) => {
      for (const line of tableLines([HEAD[call.lang], ...rowsOf(data)])) call.terminal.out(line);
    });
  },
};

const HEAD: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['队列', '引擎', '状态', '说明'],
  en: ['QUEUE', 'ENGINE', 'STATE', 'NOTE'],
};

function rowsOf(data: JsonValue): string[][] {
  const shown = data as unknown as readonly BindingStatus[];
  return shown.map(({ queue, engineKey, state, notes }) => [queue, engineKey ?? '', state, notes.join(' ')]);
}
