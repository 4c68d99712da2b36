import { type ClosableHttpClient, createHttpClient } from '../adapters/http/http-client.ts';
import type { OutboundRules } from '../adapters/http/tenant-outbound.ts';
import type { Config } from '../config/load-config.ts';
import { AppError } from '../core/errors.ts';
import { basicAuthorization, type OutboundCredential } from '../core/outbound-credential.ts';
import { type AllowedTarget, parseAllowedTarget } from '../core/outbound-target.ts';
import { tenantKey } from '../core/tenant.ts';

type OutboundConfig = Config['outbound'];
type TenantConfig = OutboundConfig['tenants'][string];
type CredentialConfig = TenantConfig['credentials'][string];

/** Largest body of a script's request and of its response (defaults.md 6). Bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The way out for scripts. @param demoTargets open to every tenant beside the configured ones. */
export function openOutbound(config: OutboundConfig, demoTargets: readonly string[]): ClosableHttpClient {
  const tenants = Object.entries(config.tenants).map(([tenant, rules]) => [tenantKey(tenant), rulesOf(rules)] as const);
  return createHttpClient({
    allow: [...config.allow, ...demoTargets].map(targetOf),
    tenants: new Map(tenants),
    maxBodyBytes: MAX_BODY_BYTES,
  });
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
