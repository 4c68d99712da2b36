import { HOST_FRAME, LANE_FRAME } from '../protocol/messages.ts';
import { type AsyncAnswer, writeStepText } from '../protocol/wait-text.ts';
import { type HostLine, refusal } from './host-line.ts';
import type { ScriptBox } from './script-context.ts';

/**
 * Sends the async calls that a script has made since its last entry and waits until one is answered or its next timer
 * is due. @returns the text of the step; undefined when the host ends the run.
 */
export function awaitStep(line: HostLine, box: ScriptBox, argumentBytes: number): string | undefined {
  const timerMs = box.timerAt < 0 ? undefined : Math.max(0, box.timerAt - Date.now());
  if (timerMs === 0 && box.pendingCalls === 0) return '';
  const { send, refused } = withinLimit(box.calls, argumentBytes);
  line.say(LANE_FRAME.wait, `${refused.length > 0 ? 0 : (timerMs ?? '')}${send}`);
  const answers = line.hear(HOST_FRAME.step);
  if (answers === undefined || refused.length === 0) return answers;
  return [answers, writeStepText(refused)].filter((text) => text !== '').join('\n');
}

/** The calls that may be sent together, each after a line feed, and the answers of those that are too much. */
function withinLimit(calls: string, limit: number): { send: string; refused: AsyncAnswer[] } {
  if (calls === '') return { send: '', refused: [] };
  if (Buffer.byteLength(calls) <= limit) return { send: `\n${calls.slice(0, -1)}`, refused: [] };
  const refused: AsyncAnswer[] = [];
  let send = '';
  let sentBytes = 0;
  for (const each of calls.slice(0, -1).split('\n')) {
    const size = Buffer.byteLength(each);
    sentBytes += size;
    if (sentBytes <= limit) {
      send += `\n${each}`;
    } else {
      const [id, name] = each.split(' ', 2);
      refused.push({
        id: Number(id),
        json: refusal('V8_RESULT_TOO_LARGE', { what: `${name}Async()`, size: sentBytes, limit }, 'zh'),
      });
    }
  }
  return { send, refused };
}
