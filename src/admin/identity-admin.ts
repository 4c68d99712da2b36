import type { FirstAdmin } from '../app/first-admin.ts';
import { type Identified, identify } from '../app/identify.ts';
import { type IdentityServices, identityOf } from '../app/identity-services.ts';
import { type Credentials, changeOwnPassword, type Login, logIn, logOut } from '../app/log-in.ts';
import { addKey, type KeyDraft, type KeyPlace, removeKey } from '../app/manage-keys.ts';
import {
  addUser,
  changeUser,
  endLogins,
  findUser,
  removeUser,
  type UserDraft,
  type UserEdit,
  type UserPlace,
} from '../app/manage-users.ts';
import { type Caller, isAllowed, PERMISSIONS, type Permission } from '../core/access.ts';
import { auditEntry } from '../core/audit-entry.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { User } from '../core/user.ts';
import type { AuditFilter, AuditRecord, StoredKey } from '../ports/identity.ts';

/** Who people and keys are, as the routes need it. Errors are those of the use cases. */
export interface IdentityAdmin {
  /** Recognises a login or a key made through the API. */
  identify(token: string): Promise<Identified>;
  /** The tenant of a login that names none. */
  mainTenant(): string;
  /** What the caller may do in his own tenant. */
  permissionsOf(caller: Caller): Permission[];
  logIn(credentials: Credentials, address: string): Promise<Login>;
  setUp(draft: Parameters<FirstAdmin['use']>[0], address: string): Promise<Login>;
  logOut(tenant: string, sessionId: string): Promise<void>;
  changeOwnPassword(
    login: NonNullable<Identified['login']>,
    origin: ChangeOrigin,
    passwords: { old: string; next: string },
  ): Promise<Login>;
  /** @returns the name of the new key. */
  rotateKeys(dropOld: boolean, origin: ChangeOrigin): Promise<string>;
  users(tenant: string): Promise<readonly User[]>;
  user(tenant: string, id: string): Promise<User>;
  addUser(place: UserPlace, draft: UserDraft): Promise<User>;
  changeUser(place: UserPlace, id: string, edit: UserEdit): Promise<User>;
  removeUser(place: UserPlace, id: string): Promise<void>;
  endLogins(place: UserPlace, id: string): Promise<number>;
  keys(tenant: string): Promise<readonly StoredKey[]>;
  addKey(place: KeyPlace, draft: KeyDraft): Promise<{ readonly key: StoredKey; readonly text: string }>;
  removeKey(place: KeyPlace, id: string): Promise<void>;
  /** Changes, newest first. */
  audit(tenant: string, filter: AuditFilter): Promise<readonly AuditRecord[]>;
}

/** Serves the identity routes by the use cases of this host. */
export function createIdentityAdmin(services: IdentityServices, firstAdmin: FirstAdmin): IdentityAdmin {
  const mainTenant = (): string => services.directory.open()[0]?.tenant ?? '';
  return {
    identify: (token) => identify(services, token),
    mainTenant,
    permissionsOf: (caller) => {
      const names = Object.keys(PERMISSIONS) as Permission[];
      return names.filter((permission) => isAllowed(caller, permission));
    },
    logIn: (credentials, address) => logIn(services, credentials, address),
    setUp: (draft, address) => firstAdmin.use(draft, address),
    logOut: (tenant, sessionId) => logOut(services, tenant, sessionId),
    changeOwnPassword: ({ tenant }, origin, passwords) => changeOwnPassword(services, { tenant, ...origin }, passwords),
    async rotateKeys(dropOld, origin) {
      const { kid } = await services.ring.rotate(dropOld);
      const entry = auditEntry(origin, 'signing-key.rotated', kid, { after: { endLogins: dropOld } });
      await identityOf(services, mainTenant()).audit.write(entry);
      return kid;
    },
    users: (tenant) => identityOf(services, tenant).users.list(),
    user: (tenant, id) => findUser(services, tenant, id),
    addUser: (place, draft) => addUser(services, place, draft),
    changeUser: (place, id, edit) => changeUser(services, place, id, edit),
    removeUser: (place, id) => removeUser(services, place, id),
    endLogins: (place, id) => endLogins(services, place, id),
    keys: (tenant) => identityOf(services, tenant).keys.list(),
    addKey: (place, draft) => addKey(services, place, draft),
    removeKey: (place, id) => removeKey(services, place, id),
    audit: (tenant, filter) => identityOf(services, tenant).audit.list(filter),
  };
}
