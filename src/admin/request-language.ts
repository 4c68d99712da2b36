import type { FastifyRequest } from 'fastify';
import type { Lang } from '../core/errors.ts';

/**
 * Language of an answer: query `_Lang`, else header `lang`; beginning with `en` is English, anything else 中文
 * (defaults.md 10.9). A request that names none gets the host's own.
 */
export function requestLanguage(request: Pick<FastifyRequest, 'query' | 'headers'>, hostLang: Lang): Lang {
  const query = request.query as Readonly<Record<string, unknown>> | undefined;
  const wanted = query?._Lang ?? request.headers.lang;
  if (typeof wanted !== 'string' || wanted === '') return hostLang;
  return /^en/i.test(wanted) ? 'en' : 'zh';
}
