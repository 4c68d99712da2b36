import { ADMIN_LEVEL, type Role } from './access.ts';
import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';

/** A person who may log in to one tenant. Times are milliseconds UTC. */
export interface User {
  readonly id: string;
  /** What is typed at the login; unique in the tenant, whatever its case. */
  readonly account: string;
  readonly name: string;
  readonly role: Role;
  /** The platform's `Level`. */
  readonly level: number;
  /** True for an administrator of the whole host, who belongs to the main tenant. */
  readonly isHostAdmin: boolean;
  readonly isEnabled: boolean;
  readonly createdAt: number;
  readonly lastLoginAt: number | null;
}

const ACCOUNT = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u;
const LEAST_PASSWORD = 10;
/** Longer ones would let a caller choose how long the hash takes. Bytes. */
const LONGEST_PASSWORD = 1024;

/** What is typed a million times a day somewhere. Longer than the least length, so that it is no other rule's matter. */
const COMMON = new Set(['password123', 'passw0rd123', '1234567890', '0123456789', 'qwertyuiop', 'admin12345']);

/** An account as it was typed at a login. */
export function typedAccount(text: string): string {
  return text.trim().normalize('NFC');
}

/** What two spellings of one account have in common: only blanks around it and the case of its letters may differ. */
export function accountKey(text: string): string {
  return typedAccount(text).toLowerCase();
}

/** An account: 1 to 64 letters, digits and `._@+-`, the first a letter or digit. Refusal: REQUEST_INVALID. */
export function parseAccount(text: string): Parsed<string> {
  const account = typedAccount(text);
  if (ACCOUNT.test(account)) return accept(account);
  return refuse('REQUEST_INVALID', {
    field: 'body.account',
    rule: bilingual(
      '1 到 64 个字母、数字或 . _ @ + -，以字母或数字开头',
      '1 to 64 letters, digits, . _ @ + -, first a letter or digit',
    ),
  });
}

/**
 * A new password: its length is what counts, so there are no rules about kinds of characters. Refusal: REQUEST_INVALID.
 */
export function checkPassword(password: string, account: string): Parsed<string> {
  const field = 'body.password';
  if ([...password].length < LEAST_PASSWORD || new TextEncoder().encode(password).length > LONGEST_PASSWORD) {
    return refuse('REQUEST_INVALID', {
      field,
      rule: bilingual(
        `至少 ${LEAST_PASSWORD} 个字符，最多 ${LONGEST_PASSWORD} 字节`,
        `at least ${LEAST_PASSWORD} characters, at most ${LONGEST_PASSWORD} bytes`,
      ),
    });
  }
  if (isEasy(password.toLowerCase(), account.toLowerCase())) {
    return refuse('REQUEST_INVALID', {
      field,
      rule: bilingual(
        '太容易猜到：不要用账号、常见密码或同一个字符',
        'too easy to guess: not the account, a common one or one character',
      ),
    });
  }
  return accept(password);
}

function isEasy(password: string, account: string): boolean {
  const isAccount = account !== '' && password.includes(account) && password.length < account.length + 4;
  return isAccount || COMMON.has(password) || new Set(password).size < 4;
}

/**
 * The level that goes with a role: admins have at least 9999, others less (v8-surface.md 8.3). Refusal:
 * REQUEST_INVALID for a level that contradicts the role.
 */
export function levelOf(role: Role, level: number | undefined): Parsed<number> {
  if (level === undefined) return accept(role === 'admin' ? ADMIN_LEVEL : 0);
  if (level >= ADMIN_LEVEL === (role === 'admin')) return accept(level);
  return refuse('REQUEST_INVALID', {
    field: 'body.level',
    rule: bilingual(
      `角色 admin 的 Level 不小于 ${ADMIN_LEVEL}，其他角色小于它`,
      `role admin has Level ${ADMIN_LEVEL} or more, other roles less`,
    ),
  });
}
