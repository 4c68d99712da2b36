import { type ClosableHttpClient, createHttpClient } from '../adapters/http/http-client.ts';
import { createServerGuard } from '../adapters/http/server-guard.ts';
import type { OutboundRules } from '../adapters/http/tenant-outbound.ts';
import type { Config } from '../config/load-config.ts';
import { AppError } from '../core/errors.ts';
import { basicAuthorization, type OutboundCredential } from '../core/outbound-credential.ts';
import { type AllowedTarget, parseAllowedTarget } from '../core/outbound-target.ts';
import { tenantKey } from '../core/tenant.ts';
import type { ServerGuard } from '../ports/server-guard.ts';

type OutboundConfig = Config['outbound'];
type TenantConfig = OutboundConfig['tenants'][string];
type CredentialConfig = TenantConfig['credentials'][string];

/** Largest body of a script's request and of its response (defaults.md 6). Bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The way out for scripts. @param demoTargets open to every tenant beside the configured ones. */
export function openOutbound(config: OutboundConfig, demoTargets: readonly string[]): ClosableHttpClient {
  const allow = [...config.allow, ...demoTargets].map(targetOf);
  return createHttpClient({ allow, tenants: tenantRules(config), maxBodyBytes: MAX_BODY_BYTES });
}

/** The same rules for connections to databases. */
export function openServerGuard(config: OutboundConfig): ServerGuard {
  return createServerGuard({ allow: config.allow.map(targetOf), tenants: tenantRules(config) });
}

function tenantRules({ tenants }: OutboundConfig): ReadonlyMap<string, OutboundRules> {
  return new Map(Object.entries(tenants).map(([tenant, rules]) => [tenantKey(tenant), rulesOf(rules)] as const));
}

function rulesOf({ allow, credentials }: TenantConfig): OutboundRules {
  const named = Object.entries(credentials).map(([name, credential]) => [name, credentialOf(credential)] as const);
  return { allow: allow.map(targetOf), credentials: new Map(named) };
}

function credentialOf(credential: CredentialConfig): OutboundCredential {
  return { hosts: credential.hosts.map(targetOf), headers: headersOf(credential) };
}

function headersOf({ bearer, user, password, headers }: CredentialConfig): Record<string, string> {
  if (bearer !== undefined) return { authorization: `Bearer ${bearer.reveal()}` };
  if (user !== undefined) return { authorization: basicAuthorization(user, password?.reveal() ?? '') };
  const entries = Object.entries(headers ?? {}).map(([name, secret]) => [name.toLowerCase(), secret.reveal()]);
  return Object.fromEntries(entries);
}

function targetOf(text: string): AllowedTarget {
  const target = parseAllowedTarget(text);
  if (target === undefined) throw new AppError('CONFIG_INVALID', { problems: `  outbound: ${text}` });
  return target;
}
