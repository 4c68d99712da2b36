/** Headers and credentials of V8.Http. */

import { isJsonObject } from '../core/json.ts';
import { basicAuthorization, isHeaderName, isHeaderValue } from '../core/outbound-credential.ts';
import { formFields } from './http-body.ts';
import { refuseParam } from './param-rules.ts';
import { type CallParam, isBlank, readText } from './param-values.ts';

/** Headers of the connection and of tracing: the host's, whatever a script sets. */
const HOST_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Parameters that stand for a header of their own. */
const HEADER_PARAMS = [
  ['UserAgent', 'user-agent'],
  ['Referer', 'referer'],
] as const;

/** Parameters of the platform that need .NET objects or files of the host. */
const UNSUPPORTED = ['CookieContainer', 'CertPath', 'CertPwd'];

/** `Headers` (alias `Header`), UserAgent and Referer with lower-case names, without those that are the host's. */
export function readHeaders(param: CallParam): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const key of UNSUPPORTED) if (!isBlank(param.values[key])) refuseParam(key, 'httpUnsupported', param.lang);
  for (const [key, name] of HEADER_PARAMS) {
    const value = readText(param, key);
    if (value !== undefined) headers[name] = isHeaderValue(value) ? value : refuseParam(key, 'headerText', param.lang);
  }
  const key = isBlank(param.values.Headers) ? 'Header' : 'Headers';
  const given = param.values[key];
  if (isBlank(given)) return headers;
  if (!isJsonObject(given)) return refuseParam(key, 'headers', param.lang);
  for (const [name, value] of formFields(given)) {
    if (!isHeaderName(name) || !isHeaderValue(value)) return refuseParam(`${key} (${name})`, 'headers', param.lang);
    if (!HOST_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** What `Credentials` asks for: a credential of the operator by name, or user and password of the script. */
export interface AskedCredential {
  readonly name: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export function readCredential(param: CallParam): AskedCredential {
  const given = param.values.Credentials;
  if (isBlank(given)) return { name: undefined, headers: {} };
  if (typeof given === 'string') return { name: given.trim(), headers: {} };
  const { UserName: user, Password: password } = isJsonObject(given) ? given : {};
  if (typeof user !== 'string' || typeof password !== 'string' || user.includes(':')) {
    return refuseParam('Credentials', 'credentials', param.lang);
  }
  return { name: undefined, headers: { authorization: basicAuthorization(user, password) } };
}
