import { findMqttTenant, type MqttRegistry, type MqttTenant } from './mqtt-settings.ts';
import { sameTenant } from './tenant.ts';

/** What a CONNECT says about who it is. */
export interface ConnectHints {
  readonly clientId: string;
  readonly userName: string | undefined;
  /** Its bytes read as UTF-8. */
  readonly password: string | undefined;
  /** The first User Property named `OsClient`, in any case. */
  readonly osClient: string | undefined;
}

/** Why a CONNECT is refused, by the return codes it ends in. */
export type ConnectRefusal = 'client-id' | 'not-authorized' | 'bad-credentials';

/** Whose client it is, or why it is nobody's. `action` is the diagnostic's name (mq-mqtt.md 6.10). */
export type ConnectIdentity =
  | { readonly ok: true; readonly tenant: MqttTenant }
  | { readonly ok: false; readonly refusal: ConnectRefusal; readonly action: string };

/** Client ids that the host uses for what it publishes itself. */
const INTERNAL_CLIENT = '__microi_internal__:';

/**
 * Finds the tenant of a CONNECT and checks its credentials, in the order of mq-mqtt.md 6.4: User Property, prefix of
 * the user name, prefix of the client id, the main tenant's exact account. All hints given must agree. It fails closed:
 * there is no tenant by default.
 */
export function identifyClient(hints: ConnectHints, registry: MqttRegistry): ConnectIdentity {
  const { clientId } = hints;
  if (clientId === '' || clientId.includes('\u001f') || clientId.startsWith(INTERNAL_CLIENT)) {
    return refused('client-id', 'ConnectionRejected');
  }
  const found = resolveTenant(hints, registry);
  return found.ok ? checkAccess(found.tenant, found.user, hints.password ?? '', registry) : found;
}

type Resolved =
  | { readonly ok: true; readonly tenant: MqttTenant; readonly user: string }
  | Extract<ConnectIdentity, { ok: false }>;

function resolveTenant(hints: ConnectHints, registry: MqttRegistry): Resolved {
  const userName = hints.userName ?? '';
  const asked = (hints.osClient ?? '').trim();
  const byProperty = asked === '' ? undefined : findMqttTenant(registry, asked);
  if (asked !== '' && byProperty === undefined) return refused('not-authorized', 'UnknownTenantRejected');
  const byUser = tenantInFront(userName, registry);
  const byClient = tenantInFront(hints.clientId, registry);
  const given = [byProperty, byUser, byClient].filter((tenant) => tenant !== undefined);
  const tenant = given[0] ?? mainByAccount(userName, registry);
  if (tenant === undefined) return refused('not-authorized', 'TenantResolutionFailed');
  if (!given.every((other) => sameTenant(other.tenant, tenant.tenant))) {
    return refused('not-authorized', 'ConnectionRejected');
  }
  return { ok: true, tenant, user: byUser === undefined ? userName : userName.slice(userName.indexOf(':') + 1) };
}

function checkAccess(tenant: MqttTenant, user: string, password: string, registry: MqttRegistry): ConnectIdentity {
  if (!tenant.enabled) return refused('not-authorized', 'DisabledTenantRejected');
  const complete = tenant.account !== '' && tenant.password !== '';
  if (!tenant.isMain) {
    if (!complete) return refused('not-authorized', 'IncompleteCredentialRejected');
    if (collides(tenant, registry)) return refused('not-authorized', 'CredentialCollisionRejected');
  }
  if (!complete) {
    return tenant.allowAnonymous ? { ok: true, tenant } : refused('not-authorized', 'AnonymousRejected');
  }
  // Both are always compared, so that the time tells nothing about which was wrong.
  const sameUser = sameSecret(user, tenant.account);
  const samePassword = sameSecret(password, tenant.password);
  return sameUser && samePassword ? { ok: true, tenant } : refused('bad-credentials', 'CredentialRejected');
}

/** Credentials are one tenant's alone: a shared one would let either in as the other. */
function collides(tenant: MqttTenant, { tenants }: MqttRegistry): boolean {
  return tenants.some(
    (other) =>
      !sameTenant(other.tenant, tenant.tenant) &&
      ((other.account !== '' && other.account === tenant.account) ||
        (other.password !== '' && other.password === tenant.password)),
  );
}

function tenantInFront(text: string, registry: MqttRegistry): MqttTenant | undefined {
  const at = text.indexOf(':');
  return at > 0 ? findMqttTenant(registry, text.slice(0, at)) : undefined;
}

function mainByAccount(userName: string, { tenants }: MqttRegistry): MqttTenant | undefined {
  const main = tenants.find(({ isMain }) => isMain);
  return main !== undefined && main.account !== '' && sameSecret(userName, main.account) ? main : undefined;
}

/** Characters compared at least, so that short secrets do not tell their length. */
const COMPARED = 256;

/** Equality in a time that depends on neither secret's content, nor on the length of usual ones. */
export function sameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  const length = Math.max(COMPARED, a.length, b.length);
  for (let index = 0; index < length; index++) {
    difference |= (index < a.length ? a.charCodeAt(index) : 0) ^ (index < b.length ? b.charCodeAt(index) : 0);
  }
  return difference === 0;
}

function refused(refusal: ConnectRefusal, action: string): Extract<ConnectIdentity, { ok: false }> {
  return { ok: false, refusal, action };
}
