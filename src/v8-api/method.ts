/** V8.Method: ids, the clock and the system log (v8-surface.md 6.3). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { SysLogRecord } from '../ports/journal.ts';
import { type Call, hostCall } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText, isBlank } from './param-values.ts';

export const METHOD = {
  'Method.NewUlid': hostCall(async ({ context }) => context.ids.ulid()),
  'Method.NewGuid': hostCall(async ({ context }) => context.ids.guid()),
  /** Unix seconds. */
  'Method.GetTimestamp': hostCall(async ({ context }) => Math.floor(context.clock.now() / 1000)),
  'Method.AddSysLog': hostCall(addSysLog),
} as const;

/** Width of sys_log.Title, and what one entry may take of the log. Characters. */
const MAX_TITLE = 255;
const MAX_TEXT = 64 * 1024;

/** Writes an entry to the tenant's system log, apart from the run's transaction. Code 1 at once. */
async function addSysLog(call: Call): Promise<DosResult> {
  const [entry] = call.args;
  if (!isJsonObject(entry)) return refuseParam('param', 'object', call.lang);
  call.context.sysLog({
    type: textOf(entry.Type, MAX_TITLE),
    title: textOf(entry.Title, MAX_TITLE),
    content: textOf(entry.Content, MAX_TEXT),
    level: levelOf(entry.Level),
    ...optionalText('otherInfo', entry.OtherInfo),
    ...optionalText('remark', entry.Remark),
    ...optionalText('api', entry.Api),
    ...optionalText('param', entry.Param),
  });
  return succeed(null, { Msg: 'queued' });
}

function optionalText<K extends 'otherInfo' | 'remark' | 'api' | 'param'>(
  name: K,
  value: JsonValue | undefined,
): Partial<Pick<SysLogRecord, K>> {
  return isBlank(value) ? {} : ({ [name]: textOf(value, MAX_TEXT) } as Pick<SysLogRecord, K>);
}

/** A log takes everything: what is no text is written as JSON, what is too long is cut. */
function textOf(value: JsonValue | undefined, limit: number): string {
  if (value === undefined || value === null) return '';
  const text = asText(value) ?? JSON.stringify(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** 1 info, 2 warning, 3 error; anything else is info. */
function levelOf(value: JsonValue | undefined): 1 | 2 | 3 {
  const level = Number(asText(value));
  return level === 2 || level === 3 ? level : 1;
}
