import { ElMessage } from 'element-plus';
import { call, tenantPath } from '../api/client.ts';
import { sentenceOf } from '../api/load.ts';
import type { ReplayView } from '../api/shapes.ts';
import { language } from '../text/text.ts';
import { showNumber } from '../text/times.ts';
import { ask } from './ask.ts';
import { DEAD_LETTERS } from './dead-letters-text.ts';

/** Which dead letters are meant, as the API's filter has it. */
export interface DeadLetterFilter {
  readonly group?: string;
  readonly reason?: string;
  readonly eventId?: string;
  readonly queue?: string;
}

/** Asks, replays and tells the end. @returns true when something may have changed. */
export async function replayDeadLetters(tenant: string, filter: DeadLetterFilter, rows: number): Promise<boolean> {
  const text = DEAD_LETTERS[language.value];
  if (!(await ask(text.askReplay(showNumber(rows)), text.replay))) return false;
  return tell(async () => {
    const { Data } = await call<ReplayView>('POST', tenantPath(tenant, 'dead-letters', 'replay'), { body: filter });
    if (Data.refusedCount === 0) return ElMessage.success(text.replayed(showNumber(Data.replayed)));
    const why = Data.refused[0]?.message ?? '';
    const counts = [text.replayed(showNumber(Data.replayed)), text.refused(showNumber(Data.refusedCount))].join(', ');
    return ElMessage.warning({ message: `${counts}: ${why}`, duration: 8000, showClose: true });
  });
}

/** Asks, removes and tells the end. @returns true when something may have changed. */
export async function purgeDeadLetters(tenant: string, filter: DeadLetterFilter, rows: number): Promise<boolean> {
  const text = DEAD_LETTERS[language.value];
  if (!(await ask(text.askPurge(showNumber(rows)), text.purge))) return false;
  return tell(async () => {
    const path = tenantPath(tenant, 'dead-letters', 'purge');
    const { Data } = await call<{ purged: number }>('POST', path, { body: filter });
    ElMessage.success(text.purged(showNumber(Data.purged)));
  });
}

async function tell(act: () => Promise<unknown>): Promise<boolean> {
  await act().catch((thrown: unknown) => {
    ElMessage.error({ message: sentenceOf(thrown), duration: 8000, showClose: true });
  });
  return true;
}
