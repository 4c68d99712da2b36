/** The underscore keys of FormEngine parameters (v8-surface.md 2.3): honoured, harmless, or refused by name. */
import type { JsonValue } from '../core/json.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank } from './param-values.ts';

/** Keys a method reads, or that change nothing a script could rely on in this version. */
const ACCEPTED: ReadonlySet<string> = new Set([
  '_Where',
  '_SelectFields',
  '_SelectNotFields',
  '_OrderBy',
  '_OrderByType',
  '_OrderBys',
  '_PageIndex',
  '_PageSize',
  '_Top',
  '_OnlyDataCount',
  '_FormData',
  '_RowModel',
  '_NotSaveField',
  '_NoLineForAdd',
  '_IsContainDeleted',
  '_Lang',
  '_OsClient',
  '_FormEngineKey',
  '_TableName',
  '_TableId',
  // hints and switches of things that do not exist here: without them the call does the same
  '_Cache',
  '_ForceUpt',
  // what the platform's HTTP layer puts into V8.Param, which scripts pass on as a whole; it grants nothing
  '_CurrentUser',
  '_TrustedServerInvocation',
  '_SysMenuId',
  '_TableChildAuth',
  '_DeviceId',
]);

/** Keys of the platform that narrow or redirect a call and are not there yet. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  '_Keyword',
  '_Search',
  '_SearchEqual',
  '_SearchEqualOr',
  '_SearchEqualOrGroup',
  '_SearchOr',
  '_SearchOrGroup',
  '_SearchCheckbox',
  '_SearchDateTime',
  '_IsTrashRestore',
  '_TreeLazy',
  '_ParentId',
  '_ParentValue',
]);

/**
 * Refuses every underscore key that would have to be ignored although it means something: a dropped condition touches
 * the wrong rows. A blank value asks for nothing and passes. @throws AppError PARAM_INVALID naming the key.
 */
export function checkKeys(param: CallParam): void {
  for (const [key, value] of Object.entries(param.values)) {
    if (!key.startsWith('_') || ACCEPTED.has(key) || isBlank(value)) continue;
    if (key === '_InvokeType' || key === '_RunV8Event') checkEvents(param, key, value);
    else refuseParam(key, UNSUPPORTED.has(key) ? 'unsupported' : 'unknownKey', param.lang);
  }
}

/** Table events do not exist in this version, so they can only be asked not to fire. */
function checkEvents(param: CallParam, key: string, value: JsonValue | undefined): void {
  const text = asText(value)?.toLowerCase();
  if (text !== (key === '_InvokeType' ? 'server' : '0')) refuseParam(key, 'events', param.lang);
}
