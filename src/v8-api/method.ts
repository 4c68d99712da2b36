/** V8.Method: ids, the clock, the system log and signatures (v8-surface.md 6.3). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { toWhereObjects } from '../core/where-objects.ts';
import type { SysLogRecord } from '../ports/journal.ts';
import { hmacSign, md5Sign } from './crypto-digest.ts';
import { type Call, hostCall } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText, isBlank } from './param-values.ts';

export const METHOD = {
  'Method.NewUlid': hostCall(async ({ context }) => context.ids.ulid()),
  'Method.NewGuid': hostCall(async ({ context }) => context.ids.guid()),
  /** Unix seconds. */
  'Method.GetTimestamp': hostCall(async ({ context }) => Math.floor(context.clock.now() / 1000)),
  'Method.AddSysLog': hostCall(addSysLog),
  'Method.GetCurrentToken': hostCall(getCurrentToken),
  'Method.ParseWhere': hostCall(async ({ args }) => orThrow(toWhereObjects(args[0]))),
  /** Base64 of the HMAC: (data, key). */
  'Method.HmacSha1Sign': hostCall(hmacSign('sha1')),
  'Method.HmacSha256Sign': hostCall(hmacSign('sha256')),
  'Method.Md5Sign': hostCall(md5Sign('base64')),
  'Method.Md5SignHex': hostCall(md5Sign('hex')),
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

/**
 * GetCurrentToken(token?, osClient?): who runs this script, or null when nobody is logged in. The token itself stays
 * in the host, and one that a script presents identifies nobody here.
 */
async function getCurrentToken({ args, context }: Call): Promise<JsonValue> {
  const { user, tenant } = context;
  if (user === undefined || !isBlank(args[0])) return null;
  return { OsClient: tenant, CurrentUser: { Id: user.id, Name: user.name }, Token: '' };
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
