import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';

const CLOSED = bilingual('服务器关闭了连接', 'connection closed by the server');
const UNREACHABLE = bilingual('服务器无法及时连上', 'the server cannot be reached in time');
const NO_ROUTE = bilingual('没有到服务器的路由', 'no route to the server');
const WRONG_LENGTH = bilingual('内容与 Content-Length 不符', 'the body does not match its Content-Length');

const HEADERS_OVERFLOW = 'HPE_HEADER_OVERFLOW';

/** What the driver's codes mean. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: bilingual('连接被拒绝', 'connection refused'),
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_DESTROYED: bilingual('主机正在停止', 'the host is stopping'),
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENOTFOUND: bilingual('主机名不存在', 'unknown host name'),
  EAI_AGAIN: bilingual('主机名解析失败', 'name resolution failed'),
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: WRONG_LENGTH,
  UND_ERR_HEADERS_OVERFLOW: bilingual('响应头过大', 'the headers of the answer are too large'),
  [HEADERS_OVERFLOW]: bilingual('响应头过大', 'the headers of the answer are too large'),
};

const NO_HTTP = bilingual('响应不是合法的 HTTP', 'the answer is no valid HTTP');
const CERTIFICATE = bilingual('TLS 证书不被信任', 'the TLS certificate is not trusted');
const OTHER = bilingual('请求或响应不合法', 'invalid request or answer');

/** Names of OpenSSL's and Node's complaints about a certificate. */
const CERTIFICATE_CODE = /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

export function httpFailed(url: URL, reason: string, cause?: unknown): AppError {
  return new AppError('HTTP_FAILED', { target: url.host, reason }, { cause });
}

/** Translates what the driver threw. The cause keeps its words alone: the driver's error may hold the answer's bytes. */
export function fromHttpError(thrown: unknown, url: URL): AppError {
  if (thrown instanceof AppError) {
    return thrown.code === 'HTTP_FAILED' && thrown.params.target === undefined
      ? new AppError('HTTP_FAILED', { ...thrown.params, target: url.host }, { cause: thrown })
      : thrown;
  }
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  const reason = name === 'HTTPParserError' && code !== HEADERS_OVERFLOW ? NO_HTTP : reasonOf(String(code));
  return httpFailed(url, reason, new Error(`${String(name)} ${String(code)}`));
}

function reasonOf(code: string): string {
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (CERTIFICATE_CODE.test(code)) return CERTIFICATE;
  return /^[A-Z][A-Z0-9_]+$/.test(code) ? code : OTHER;
}
