import { type Ref, ref } from 'vue';
import { call, tenantPath } from '../api/client.ts';
import { sentenceOf, useLoad } from '../api/load.ts';
import type { AttemptView, TrialView } from '../api/shapes.ts';
import { may } from '../session.ts';
import { useRouteText, useTenant } from '../tenant.ts';
import { useText } from '../text/text.ts';
import { ENGINES } from './engines-text.ts';
import { isJson } from './message-json.ts';

/** Deliveries that are looked through for those of this engine. */
const LOOKED_AT = 200;

/**
 * Runs of an engine: a trial with a message, which is undone, or a call, which is not.
 * @param draft text in the editor when it is not what is stored.
 */
export function useEngineRuns(draft: () => string | undefined) {
  const text = useText(ENGINES);
  const tenant = useTenant();
  const engineKey = useRouteText('key');
  const input = ref('{\n  "OrderId": "A-1"\n}');
  /** An earlier delivery to try instead of the input. */
  const delivery = ref('');
  const trial = ref<TrialView>();
  const answer = ref('');
  const problem = ref('');
  const isRunning = ref(false);
  const deliveries = useDeliveries(tenant, engineKey);

  async function run(needsInput: boolean, work: () => Promise<void>): Promise<void> {
    problem.value = !needsInput || isJson(input.value) ? '' : text.value.notJson;
    if (problem.value !== '') return;
    trial.value = undefined;
    answer.value = '';
    isRunning.value = true;
    await work().catch((thrown: unknown) => {
      problem.value = sentenceOf(thrown);
    });
    isRunning.value = false;
  }

  /** @param isEarlier of the chosen delivery, else of the input. */
  const tryMessage = (isEarlier: boolean) =>
    run(!isEarlier, async () => {
      const source = may('engine.push') ? draft() : undefined;
      const [queue = '', eventId = ''] = delivery.value.split('\n');
      const message = isEarlier
        ? JSON.stringify({ eventId, ...(queue === '' ? {} : { queue }) }).slice(1, -1)
        : `"Message":${input.value}`;
      const json = `{${source === undefined ? '' : `"source":${JSON.stringify(source)},`}${message}}`;
      const path = tenantPath(tenant.value, 'engines', engineKey.value, 'trial');
      trial.value = (await call<TrialView>('POST', path, { json })).Data;
    });
  const callEngine = () =>
    run(true, async () => {
      const path = tenantPath(tenant.value, 'engines', engineKey.value, 'run');
      answer.value = JSON.stringify(await call('POST', path, { json: input.value }), null, 2);
    });
  return { input, delivery, deliveries, trial, answer, problem, isRunning, tryMessage, callEngine };
}

/** The engine's latest deliveries, each message once, the newest first. */
function useDeliveries(tenant: Readonly<Ref<string>>, engineKey: Readonly<Ref<string>>) {
  return useLoad(
    () => [tenant.value, engineKey.value],
    async () => {
      const query = { limit: LOOKED_AT };
      const { Data } = await call<readonly AttemptView[]>('GET', tenantPath(tenant.value, 'deliveries'), { query });
      const own = Data.filter((each) => each.eventId !== '' && each.engineKey === engineKey.value);
      const byMessage = new Map(
        own.map((each) => [`${each.queue}\n${each.eventId}`, each]).reverse() as [string, AttemptView][],
      );
      return [...byMessage].reverse().map(([id, attempt]) => ({ id, attempt }));
    },
  );
}
