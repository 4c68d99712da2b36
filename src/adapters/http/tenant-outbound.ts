import { Agent } from 'undici';
import { AppError } from '../../core/errors.ts';
import { mayCarry, type OutboundCredential } from '../../core/outbound-credential.ts';
import type { AllowedTarget } from '../../core/outbound-target.ts';
import { guardedConnector, type ResolveName } from './guarded-connector.ts';
import { RequestGate } from './request-gate.ts';

/** What the operator gives to one tenant. */
export interface OutboundRules {
  /** Targets that are open although they are not public. */
  readonly allow: readonly AllowedTarget[];
  /** By name. */
  readonly credentials: ReadonlyMap<string, OutboundCredential>;
}

/** Requests of one tenant that are under way at once; a response is held in memory whole. */
const MAX_AT_ONCE = 16;

/**
 * One tenant's way out. Its connections are its own: one that was checked for a tenant is never used by another, whose
 * rules may be stricter.
 */
export class TenantOutbound {
  readonly agent: Agent;
  readonly gate = new RequestGate(MAX_AT_ONCE);
  readonly #credentials: OutboundRules['credentials'];

  constructor(rules: OutboundRules, resolve: ResolveName | undefined) {
    this.#credentials = rules.credentials;
    // The request's own deadline covers headers and body.
    this.agent = new Agent({
      connect: guardedConnector(rules.allow, resolve),
      headersTimeout: 0,
      bodyTimeout: 0,
      connections: MAX_AT_ONCE,
    });
  }

  /**
   * Headers of the named credential for a URL.
   * @throws AppError HTTP_CREDENTIAL_UNKNOWN, HTTP_CREDENTIAL_DENIED.
   */
  secretHeaders(name: string | undefined, url: URL): Readonly<Record<string, string>> {
    if (name === undefined) return {};
    const credential = this.#credentials.get(name);
    if (credential === undefined) throw new AppError('HTTP_CREDENTIAL_UNKNOWN', { credential: name });
    if (mayCarry(credential, url)) return credential.headers;
    throw new AppError('HTTP_CREDENTIAL_DENIED', { credential: name, target: url.host });
  }
}
