/**
 * Users, sessions, keys and the log of changes of one tenant. Implementations: adapters/sql. Every method may throw
 * AppError DB_BUSY, DB_UNAVAILABLE or INTERNAL. Times are milliseconds UTC.
 */
import type { Permission, Role } from '../core/access.ts';
import type { AuditEntry } from '../core/audit-entry.ts';
import type { User } from '../core/user.ts';

export type { AuditEntry } from '../core/audit-entry.ts';

/** Makes and checks the stored form of passwords (argon2id). Slow by intent; runs outside the event loop. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** True when the password is the one of `stored`. `undefined` takes as long and is false: no such user. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
  /** True when `stored` was made with less work than is asked for now. */
  isOutdated(stored: string): boolean;
}

/** A key that signs tokens. It lives in the main tenant's database, where every host finds it. */
export interface SigningKey {
  readonly kid: string;
  /** 32 random bytes, base64url. */
  readonly secret: string;
  readonly createdAt: number;
}

export interface NewUser extends Omit<User, 'createdAt' | 'lastLoginAt'> {
  readonly passwordHash: string;
}

export type UserChange = Partial<Pick<User, 'name' | 'role' | 'level' | 'isEnabled' | 'isHostAdmin'>> & {
  readonly passwordHash?: string;
};

export interface UserStore {
  list(): Promise<readonly User[]>;
  find(id: string): Promise<User | undefined>;
  /** By account, any case, with the stored form of the password. */
  findForLogin(account: string): Promise<{ readonly user: User; readonly passwordHash: string } | undefined>;
  /** @throws AppError USER_EXISTS. */
  add(user: NewUser, audit: AuditEntry): Promise<User>;
  /**
   * A change that takes rights or a new password ends the user's sessions in the same transaction.
   * @throws AppError NOT_FOUND, LAST_ADMIN when the tenant would have no enabled admin left.
   */
  change(id: string, change: UserChange, options: { readonly endSessions: boolean }, audit: AuditEntry): Promise<User>;
  /** Removes the user and its sessions. @throws AppError NOT_FOUND, LAST_ADMIN. */
  remove(id: string, audit: AuditEntry): Promise<void>;
  noteLogin(id: string, at: number, passwordHash?: string): Promise<void>;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What a browser's requests prove that they come from the page that logged in. */
  readonly csrf: string;
}

export interface SessionStore {
  add(session: Session): Promise<void>;
  /** The session with its user as it is now; undefined when it was ended. */
  find(id: string): Promise<{ readonly session: Session; readonly user: User } | undefined>;
  remove(id: string): Promise<void>;
  removeOfUser(userId: string): Promise<number>;
}

/** A key made through the API. The key itself is nowhere: its hash is. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Undefined: everything its role may do. */
  readonly scopes: readonly Permission[] | undefined;
  /** Undefined: it does not expire. */
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUsedAt: number | undefined;
}

export interface KeyStore {
  list(): Promise<readonly StoredKey[]>;
  /** By the SHA-256 of the key, lower-case hex. */
  findByHash(sha256: string): Promise<StoredKey | undefined>;
  add(key: StoredKey, sha256: string, audit: AuditEntry): Promise<void>;
  /** @throws AppError NOT_FOUND. */
  remove(id: string, audit: AuditEntry): Promise<void>;
  noteUse(id: string, at: number): Promise<void>;
}

export interface SigningKeyStore {
  /** Newest first. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey): Promise<void>;
  remove(kids: readonly string[]): Promise<void>;
}

export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly at: number;
}

export interface AuditFilter {
  readonly action?: string;
  readonly target?: string;
  readonly actor?: string;
  /** Records before this one, which the page before ended with. */
  readonly before?: string;
  readonly limit: number;
}

export interface AuditStore {
  write(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>;
}

export interface IdentityStore {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  /** Of the main tenant's store only; others stay empty. */
  readonly signingKeys: SigningKeyStore;
}

/** What a token of a login says. Times are milliseconds UTC. */
export interface LoginClaims {
  readonly tenant: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Signs and reads the tokens of logins (JWT). */
export interface TokenSigner {
  sign(claims: LoginClaims): Promise<string>;
  /** True for a text that looks like one, without proving it. */
  isToken(text: string): boolean;
  /** @throws AppError UNAUTHORIZED (forged, or signed by a key that is gone), TOKEN_EXPIRED. */
  read(token: string): Promise<LoginClaims>;
}
