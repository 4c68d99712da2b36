import { bilingual } from './bilingual.ts';
import type { ResponseMode } from './engine-entry.ts';
import { isHostPath } from './host-path.ts';

/** What the header block of a script says about its engine's row; what it does not say is left as the row has it. */
export interface HeaderEntry {
  readonly anonymous?: boolean;
  readonly stopHttp?: boolean;
  readonly response?: ResponseMode;
  readonly roles?: readonly string[];
  readonly address?: string;
  /** `LockKey` of an engine with a lock; empty: one lock for the whole engine. */
  readonly lock?: string;
}

/** A value, or the rule that the text breaks. */
type Read<T> = { readonly value: T } | { readonly rule: string };

/** Columns of `sys_apiengine` have this much room. Characters. */
const MAX_ADDRESS = 255;

/** `@response html|file|auto`. */
export function readResponse(text: string): Read<ResponseMode> {
  const mode = text.toLowerCase();
  if (mode === 'html' || mode === 'file' || mode === 'auto') return { value: mode };
  return { rule: bilingual('写 html、file 或 auto', 'write html, file or auto') };
}

/** `@roles sales, stock`: ids of roles. */
export function readRoles(text: string): Read<readonly string[]> {
  const roles = text
    .split(/[,，\s]+/)
    .map((role) => role.trim())
    .filter((role) => role !== '');
  if (roles.length > 0) return { value: [...new Set(roles)] };
  return { rule: bilingual('列出角色 Id，用逗号分隔', 'list ids of roles with commas between them') };
}

/** `@address /erp/orders`: a path of its own beside `/apiengine/{key}`. */
export function readAddress(text: string): Read<string> {
  const isPath = /^(\/[A-Za-z0-9._~@!$&'()*+,;=:-]+)+$/.test(text) && text.length <= MAX_ADDRESS;
  if (!isPath) {
    return {
      rule: bilingual(
        '写以 / 开头的路径，不含 ?、% 和空格，最多 255 个字符',
        'a path that begins with /, without ?, % and blanks, at most 255 characters',
      ),
    };
  }
  if (!isHostPath(text)) return { value: text };
  return { rule: bilingual('该路径由主机自己使用', 'the host itself uses this path') };
}

/** Columns of `sys_apiengine` that the header sets, and those that only the header before set, back to their defaults. */
export function entryColumns(now: HeaderEntry, before: HeaderEntry = {}): Readonly<Record<string, string | number>> {
  const columns: Record<string, string | number> = {};
  for (const [field, write] of Object.entries(WRITERS)) {
    const name = field as keyof HeaderEntry;
    if (now[name] !== undefined) Object.assign(columns, write(now));
    else if (before[name] !== undefined) Object.assign(columns, write({}));
  }
  return columns;
}

const WRITERS: Readonly<Record<keyof HeaderEntry, (entry: HeaderEntry) => Record<string, string | number>>> = {
  anonymous: ({ anonymous }) => ({ AllowAnonymous: anonymous === true ? 1 : 0 }),
  stopHttp: ({ stopHttp }) => ({ StopHttp: stopHttp === true ? 1 : 0 }),
  response: ({ response }) => ({
    ResponseType: response === 'html' ? 'HTML' : response === 'file' ? 'File' : '',
    ResponseFile: response === 'file' ? 1 : 0,
  }),
  roles: ({ roles }) => ({ ApiRole: roles === undefined ? '' : JSON.stringify(roles) }),
  address: ({ address }) => ({ ApiAddress: address ?? '' }),
  lock: ({ lock }) => ({ Lock: lock === undefined ? 0 : 1, LockKey: lock ?? '' }),
};
