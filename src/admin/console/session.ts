import { computed, ref } from 'vue';
import type { Permission, Role } from '../../core/access.ts';
import { ApiFailure, call, useProof } from './api/client.ts';
import type { TenantView } from './api/shapes.ts';
import { isAnythingUnsaved } from './unsaved.ts';

/** Kept as long as the tab: a token is a password. */
const TOKEN_STORED_AS = 'v8host.token';
/** Says that there is a cookie to ask the host about; the cookie itself is out of reach. */
const PERSON_STORED_AS = 'v8host.person';

/** Tenants that whoever logged in may see; undefined before. */
export const tenants = ref<readonly TenantView[]>();

/** What the host lets whoever logged in do; undefined: it did not tell, so it decides call by call. */
const permissions = ref<ReadonlySet<Permission>>();

/** Who logged in, and as what. */
export interface CallerView {
  readonly name: string;
  readonly role: Role | 'host';
}

/** Undefined before, and when the host did not tell. */
export const caller = ref<CallerView>();

/** True when what needs this permission is offered. The host checks each call all the same. */
export function may(permission: Permission): boolean {
  return permissions.value?.has(permission) ?? true;
}

/** True once the host knows who it is. */
export const isLoggedIn = computed(() => tenants.value !== undefined);

/** The login has ended while something is not saved: what is shown stays, behind the question for a new login. */
export const isLoginOver = ref(false);

/** Rises when somebody else logs in: nothing of the one before stays. */
export const shownFor = ref(0);

/** A person's login as they type it; without a tenant it is the main one. */
export interface Credentials {
  readonly tenant: string;
  readonly account: string;
  readonly password: string;
}

/** Logs a person in; the host keeps the login in a cookie. @throws ApiFailure when it refuses. */
export async function logInAsPerson({ tenant, account, password }: Credentials): Promise<void> {
  useProof(undefined, endLogin);
  const body = { account, password, cookie: true, ...(tenant === '' ? {} : { tenant }) };
  const { Data } = await call<{ csrf: string }>('POST', 'login', { body });
  useProof({ csrf: Data.csrf }, endLogin);
  await takeUp();
  localStorage.setItem(PERSON_STORED_AS, '1');
}

/** Logs in with a token. @throws ApiFailure when the host refuses it. */
export async function logInByToken(token: string): Promise<void> {
  useProof({ token }, endLogin);
  await takeUp();
  sessionStorage.setItem(TOKEN_STORED_AS, token);
}

/** Reads who it is now. Whoever was here before finds what they left; anybody else begins anew. @throws ApiFailure. */
async function takeUp(): Promise<void> {
  const before = whoIsHere();
  await readCaller();
  await refreshTenants();
  if (isLoginOver.value && whoIsHere() !== before) shownFor.value += 1;
  isLoginOver.value = false;
}

/** Same for the same person in the same tenants. */
function whoIsHere(): string {
  return JSON.stringify([caller.value, tenants.value?.map(({ tenant }) => tenant)]);
}

/** What the host answers about whoever calls. `csrf` is null for tokens. */
interface SessionView extends CallerView {
  readonly permissions: readonly Permission[];
  readonly csrf: string | null;
}

/** A key that is narrowed to other things may not ask, and is offered everything. @throws ApiFailure for any other refusal. */
async function readCaller(): Promise<void> {
  takeSession(undefined);
  try {
    takeSession((await call<SessionView>('GET', 'session')).Data);
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure) || thrown.status !== 403) throw thrown;
  }
}

function takeSession(view: SessionView | undefined): void {
  permissions.value = view && new Set(view.permissions);
  caller.value = view && { name: view.name, role: view.role };
}

/** Reads again which tenants there are. @throws ApiFailure. */
export async function refreshTenants(): Promise<void> {
  tenants.value = (await call<readonly TenantView[]>('GET', 'tenants')).Data;
}

/** Ends a person's login at the host, too. */
export async function logOut(): Promise<void> {
  // One that the host does not know any more is over all the same.
  if (localStorage.getItem(PERSON_STORED_AS) !== null) await call('DELETE', 'session').catch(() => undefined);
  forget();
}

/** Takes up the login after the page was loaded again. One that no longer holds is forgotten. */
export async function resumeLogin(): Promise<void> {
  const token = sessionStorage.getItem(TOKEN_STORED_AS);
  if (token !== null) await logInByToken(token).catch(forget);
  else if (localStorage.getItem(PERSON_STORED_AS) !== null) await resumePerson().catch(forget);
}

async function resumePerson(): Promise<void> {
  const { Data } = await call<SessionView>('GET', 'session');
  useProof({ csrf: Data.csrf ?? '' }, endLogin);
  takeSession(Data);
  await refreshTenants();
}

/** Lets the unsaved text go with the login that has ended. */
export function giveUp(): void {
  forget();
}

/** The host does not take the login any more. */
function endLogin(): void {
  const isKept = tenants.value !== undefined && isAnythingUnsaved();
  if (!isKept) forget();
  else {
    forgetProof();
    isLoginOver.value = true;
  }
}

function forget(): void {
  forgetProof();
  isLoginOver.value = false;
  tenants.value = undefined;
}

function forgetProof(): void {
  useProof(undefined, () => {});
  sessionStorage.removeItem(TOKEN_STORED_AS);
  localStorage.removeItem(PERSON_STORED_AS);
}
