import { type ComputedRef, computed, ref, watch } from 'vue';
import { call, tenantPath } from '../api/client.ts';
import { type Loaded, sentenceOf, useLoad } from '../api/load.ts';
import type { DeadLetterView, TrialView } from '../api/shapes.ts';
import { useRouteText, useTenant } from '../tenant.ts';
import { useText } from '../text/text.ts';
import { useUnsaved } from '../unsaved.ts';
import { DEAD_LETTER } from './dead-letter-text.ts';
import { editableMessage, isJson } from './message-json.ts';

/** One dead letter, its message as people edit it, and what a trial of it would do. */
export function useDeadLetter() {
  const text = useText(DEAD_LETTER);
  const tenant = useTenant();
  const eventId = useRouteText('eventId');
  const choice = useChoice();
  const letter = useLoad(
    () => [tenant.value, eventId.value, choice.value],
    async () => {
      const path = tenantPath(tenant.value, 'dead-letters', eventId.value);
      return (await call<DeadLetterView>('GET', path, { query: choice.value })).Data;
    },
  );
  const { message, isEdited, settle } = useMessage(letter);
  const trial = ref<TrialView>();
  const problem = ref('');
  const isBusy = ref(false);

  async function act(work: () => Promise<void>): Promise<boolean> {
    problem.value = message.value === undefined || isJson(message.value) ? '' : text.value.notJson;
    if (problem.value !== '') return false;
    isBusy.value = true;
    await work().catch((thrown: unknown) => {
      problem.value = sentenceOf(thrown);
    });
    isBusy.value = false;
    return problem.value === '';
  }

  /** Runs it in a transaction that is rolled back. */
  const tryIt = (allowHttp: boolean) =>
    act(async () => {
      const queue = JSON.stringify(letter.data.value?.queue ?? '');
      const own = isEdited.value ? `,"Message":${message.value}` : `,"eventId":${JSON.stringify(eventId.value)}`;
      const json = `{"queue":${queue},"allowHttp":${allowHttp}${own}}`;
      trial.value = (await call<TrialView>('POST', tenantPath(tenant.value, 'try'), { json })).Data;
    });

  /** Replays it with the message as it was edited. */
  const replayEdited = () =>
    act(async () => {
      const { queue, cycle, attempt } = choice.value;
      const place = { ...(queue ? { queue } : {}), ...(cycle ? { cycle: Number(cycle) } : {}) };
      const whole = JSON.stringify({ ...place, ...(attempt ? { attempt: Number(attempt) } : {}) }).slice(1, -1);
      const json = `{${whole === '' ? '' : `${whole},`}"Message":${message.value}}`;
      await call('POST', tenantPath(tenant.value, 'dead-letters', eventId.value, 'edit'), { json });
      settle();
    });

  return { tenant, eventId, letter, message, isEdited, trial, problem, isBusy, tryIt, replayEdited, settle };
}

/** Which of several rows under one EventId. */
function useChoice(): ComputedRef<Record<'queue' | 'cycle' | 'attempt', string>> {
  const [queue, cycle, attempt] = [useRouteText('queue'), useRouteText('cycle'), useRouteText('attempt')];
  return computed(() => ({ queue: queue.value, cycle: cycle.value, attempt: attempt.value }));
}

/** The message's text; undefined when it cannot be edited here. */
function useMessage(letter: Loaded<DeadLetterView>) {
  const message = ref<string>();
  const original = computed(() =>
    letter.data.value === undefined ? undefined : editableMessage(letter.data.value.body),
  );
  watch(original, (value) => {
    message.value = value;
  });
  const isEdited = computed(() => message.value !== undefined && message.value !== original.value);
  let isSettled = false;
  /** The message is replayed or purged: what was edited is not lost any more. */
  const settle = (): void => {
    isSettled = true;
  };
  useUnsaved(() => isEdited.value && !isSettled);
  return { message, isEdited, settle };
}
