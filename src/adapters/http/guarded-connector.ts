import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { buildConnector } from 'undici';
import { AppError } from '../../core/errors.ts';
import { isAddress, isPublicAddress } from '../../core/net-address.ts';
import { type AllowedTarget, canonicalHost, isAllowedTarget } from '../../core/outbound-target.ts';

/** Resolves a name to all its addresses, as `dns.lookup` with `all: true` does. */
export type ResolveName = (
  name: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Time to reach a server; the request's own deadline may be earlier. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes connections to public addresses and to what the operator opened. A name is resolved once, and the socket gets
 * exactly the addresses that were checked, so a name that changes its answer (DNS rebinding) gains nothing. An
 * operator's entry is matched by the name in the URL, whatever it resolves to.
 */
export function guardedConnector(
  allow: readonly AllowedTarget[],
  resolve: ResolveName = systemLookup,
): buildConnector.connector {
  const options = { allowH2: false, timeout: CONNECT_TIMEOUT_MS };
  const open = buildConnector({ ...options, lookup: resolveAny(resolve) } as buildConnector.BuildOptions);
  const guarded = buildConnector({ ...options, lookup: resolvePublic(resolve) } as buildConnector.BuildOptions);
  return (target, callback) => {
    const host = canonicalHost(target.hostname);
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    if (isAllowedTarget(allow, host, port)) return open(target, callback);
    // No name to resolve, so the socket would not ask the lookup.
    if (isAddress(host) && !isPublicAddress(host)) return callback(denied(host), null);
    return guarded(target, callback);
  };
}

type SocketLookup = (
  name: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

function resolvePublic(resolve: ResolveName): SocketLookup {
  return resolveWith(resolve, (name, addresses) => {
    const reachable = addresses.filter(({ address }) => isPublicAddress(address));
    if (reachable.length === 0) throw denied(name);
    return reachable;
  });
}

function resolveAny(resolve: ResolveName): SocketLookup {
  return resolveWith(resolve, (_name, addresses) => addresses);
}

/** `net.connect` asks for one address or for all of them. */
function resolveWith(
  resolve: ResolveName,
  choose: (name: string, addresses: LookupAddress[]) => LookupAddress[],
): SocketLookup {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        const chosen = choose(name, addresses);
        const [first] = chosen;
        if (options.all === true || first === undefined) return done(null, chosen);
        return done(null, first.address, first.family);
      } catch (refusal) {
        return done(refusal as Error, []);
      }
    });
  };
}

function denied(host: string): AppError {
  return new AppError('HTTP_TARGET_DENIED', { target: host });
}
