import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';

/** The parts of `queueUrl` under the names of the columns they stand in for; empty where the URL says nothing. */
export interface QueueUrlFields {
  /** Comma-separated. */
  readonly MQHost: string;
  readonly MQPort: string;
  readonly MQUserName: string;
  readonly MQPassword: string;
  readonly MQVitrualHost: string;
  /** `1` for `amqps:`; an `amqp:` URL says nothing about TLS. */
  readonly MQUseTls: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'amqp:': '5672', 'amqps:': '5671' };

/**
 * Reads `amqp[s]://user:password@host1,host2:port/vhost`, parts percent-encoded. One port serves all hosts; it is
 * 5672 or 5671 by default, and without a path the virtual host is `/`. There are no default credentials.
 * Refusal: PARAM_INVALID for the field `queueUrl`; its rule never repeats the URL.
 */
export function parseQueueUrl(text: string): Parsed<QueueUrlFields> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = url && DEFAULT_PORTS[url.protocol];
  if (url === undefined || port === undefined || url.hostname === '') return malformed();
  if (url.search !== '' || url.hash !== '') return malformed();
  const [user, password, vhost] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (user === undefined || password === undefined || vhost === undefined) return malformed();
  return accept({
    MQHost: url.hostname.replace(/^\[(.+)\]$/, '$1'),
    MQPort: url.port === '' ? port : url.port,
    MQUserName: user,
    MQPassword: password,
    MQVitrualHost: vhost === '' ? '/' : vhost,
    MQUseTls: url.protocol === 'amqps:' ? '1' : '',
  });
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign: the part means something else than it says.
    return undefined;
  }
}

function malformed(): ReturnType<typeof refuse> {
  const rule = bilingual(
    '写 amqp://用户:密码@主机1,主机2:端口/虚拟主机（TLS 用 amqps），特殊字符须百分号编码，不含查询参数',
    'write amqp://user:password@host1,host2:port/vhost (amqps for TLS), special characters percent-encoded, no query',
  );
  return refuse('PARAM_INVALID', { field: 'queueUrl', rule });
}
