/** The underscore keys of FormEngine parameters (v8-surface.md 2.3): honoured, harmless, or refused by name. */
import type { JsonValue } from '../core/json.ts';
import { type ParamRule, refuseParam } from './param-rules.ts';
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
  // what changed, from the platform's pages: the host keeps no such log
  '_DataLog',
]);

/** What a call does, as far as its keys go. */
export type CallKind = 'read' | 'tree' | 'write';

/** Keys that mean something to some methods only; elsewhere they would have to be ignored. */
const OF_KIND: Readonly<Record<CallKind, readonly string[]>> = {
  read: ['_Keyword'],
  tree: ['_Keyword', '_TreeLazy', '_ParentId', '_ParentValue'],
  write: ['_IsTrashRestore'],
};

/** The search grammar of old browser pages (v8-surface.md 2.3): scripts write `_Where`. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  '_Search',
  '_SearchEqual',
  '_SearchEqualOr',
  '_SearchEqualOrGroup',
  '_SearchOr',
  '_SearchOrGroup',
  '_SearchCheckbox',
  '_SearchDateTime',
]);

/**
 * Refuses every underscore key that would have to be ignored although it means something: a dropped condition touches
 * the wrong rows. A blank value asks for nothing and passes. @throws AppError PARAM_INVALID naming the key.
 */
export function checkKeys(param: CallParam, kind: CallKind): void {
  for (const [key, value] of Object.entries(param.values)) {
    if (!key.startsWith('_') || ACCEPTED.has(key) || OF_KIND[kind].includes(key) || isBlank(value)) continue;
    if (key === '_InvokeType' || key === '_RunV8Event') checkEvents(param, key, value);
    else refuseParam(key, ruleOfRefused(key), param.lang);
  }
}

function ruleOfRefused(key: string): ParamRule {
  if (UNSUPPORTED.has(key)) return 'unsupported';
  return Object.values(OF_KIND).some((keys) => keys.includes(key)) ? 'otherMethod' : 'unknownKey';
}

const EVENT_VALUES: Readonly<Record<string, readonly string[]>> = {
  _InvokeType: ['client', 'server'],
  _RunV8Event: ['0', '1', 'true', 'false'],
};

function checkEvents(param: CallParam, key: string, value: JsonValue | undefined): void {
  if (!EVENT_VALUES[key]?.includes(String(value).trim().toLowerCase())) refuseParam(key, 'events', param.lang);
}

/** True when the call shall fire the table's events (v8-surface.md 2.8). */
export function asksForEvents({ values }: CallParam): boolean {
  const asked = String(values._RunV8Event ?? '')
    .trim()
    .toLowerCase();
  if (asked !== '') return asked === '1' || asked === 'true';
  return asText(values._InvokeType)?.trim().toLowerCase() === 'client';
}
