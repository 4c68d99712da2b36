import { type CommandCall, type CommandOption, textOption } from './command.ts';
import { UsageError } from './usage-error.ts';

/** Options that narrow dead letters down by why they died. */
export const FILTER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  reason: { value: 'REASON', summary: { zh: '只要这个原因的', en: 'with this reason only' } },
  group: {
    value: 'GROUP',
    summary: {
      zh: '只要这一组错误的（见 dead-letters groups）',
      en: 'of this error group only (see dead-letters groups)',
    },
  },
};

/** Options of commands that change many dead letters. */
export const CHANGE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  queue: { value: 'QUEUE', summary: { zh: '这个队列的死信', en: 'those of this queue' } },
  ...FILTER_OPTIONS,
  all: { summary: { zh: '该租户的全部死信', en: 'all of the tenant' } },
};

/**
 * Which dead letters a command changes, as the API's body names them.
 * @throws UsageError when nothing was given: a forgotten word must not mean all of them.
 */
export function changeFilter(call: CommandCall, more: Readonly<Record<string, unknown>> = {}) {
  const [eventId] = call.args;
  const filter = {
    eventId,
    queue: textOption(call, 'queue'),
    reason: textOption(call, 'reason'),
    group: textOption(call, 'group'),
    ...more,
    ...(call.options.all === true ? { all: true } : {}),
  };
  if (Object.values(filter).every((value) => value === undefined)) {
    throw new UsageError(
      '请指定 EVENT_ID、--queue、--reason、--group 或 --all',
      'Give an EVENT_ID, --queue, --reason, --group or --all',
    );
  }
  return filter;
}
