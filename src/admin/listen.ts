import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';

export interface ListenOptions {
  /** Address to bind, such as `127.0.0.1` or `::`. */
  readonly bind: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** True when a person chose the port: it must be had, or the start fails. */
  readonly portConfigured: boolean;
}

/** Where the server listens. */
export interface ListenAddress {
  /** For people and the CLI on this machine, such as `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly port: number;
  /** True when the default port was taken and a later one is used; the start-up output says so. */
  readonly moved: boolean;
}

/** Ports tried after a default one that is taken. */
const PORTS_TRIED = 20;

/**
 * Starts listening. A default port that is taken moves to the next free one; a configured one is a failure, because
 * whoever configured it has told others about it.
 * @throws AppError PORT_TAKEN, LISTEN_FAILED.
 */
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<ListenAddress> {
  const last = options.portConfigured ? options.port : Math.min(options.port + PORTS_TRIED, 65_535);
  for (let port = options.port; port <= last; port++) {
    if (await tryListen(server, options.bind, port)) return addressOf(server, options);
  }
  const tried = last === options.port ? options.port : `${options.port}-${last}`;
  throw new AppError('PORT_TAKEN', { port: tried, setting: 'http.port' });
}

/** False when the port is taken. */
async function tryListen(server: FastifyInstance, bind: string, port: number): Promise<boolean> {
  try {
    await server.listen({ host: bind, port });
    return true;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (code === 'EADDRINUSE') return false;
    throw new AppError('LISTEN_FAILED', { address: `${bind}:${port}`, reason: code }, { cause: thrown });
  }
}

function addressOf(server: FastifyInstance, { bind, port }: ListenOptions): ListenAddress {
  const address = server.server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return { url: `http://${reachableHost(bind)}:${actual}`, port: actual, moved: port !== 0 && actual !== port };
}

/** A host that listens everywhere is reached over loopback; an IPv6 address stands in brackets in a URL. */
function reachableHost(bind: string): string {
  if (bind === '0.0.0.0') return '127.0.0.1';
  if (bind === '::') return '[::1]';
  return bind.includes(':') ? `[${bind}]` : bind;
}
