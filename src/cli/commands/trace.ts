import { shellWord } from '../../core/shell-word.ts';
import type { EventStory } from '../../ports/journal.ts';
import { type Command, textOption } from '../command.ts';
import { localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { storyLines } from '../story-text.ts';

/** `trace`: the whole story of one EventId. */
export const trace: Command = {
  name: 'trace',
  summary: { zh: '查看一个 EventId 的全过程', en: 'tell the whole story of one EventId' },
  args: ['EVENT_ID'],
  options: {},
  client: true,
  examples: ['v8host trace order-A-1'],
  async run(call) {
    const eventId = encodeURIComponent(call.args[0] ?? '');
    const answer = await call.host().ask('GET', `${call.tenantPath()}/events/${eventId}`);
    const tenant = textOption(call, 'tenant');
    const options = tenant === undefined ? '' : ` --tenant ${shellWord(tenant)}`;
    const reader = { lang: call.lang, time: localTimeOf(answer), options };
    return showAnswer(call, answer, (data) => {
      for (const line of storyLines(data as unknown as EventStory, reader)) call.terminal.out(line);
    });
  },
};
