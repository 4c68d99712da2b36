import type { FastifyInstance } from 'fastify';
import type { Lang } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { openApiDocument, type ServedRoute } from './openapi/openapi-document.ts';
import { openApiPage, PAGE_POLICY } from './openapi/openapi-page.ts';
import { ROUTE_DOCS } from './openapi/route-docs.ts';
import type { RouteContext } from './route-context.ts';
import { ROUTE_PERMISSIONS } from './route-permissions.ts';

/**
 * `GET openapi.json`, `GET docs`: what the API has, as a document and as a page. Call it before the other routes are
 * added: whatever is registered after it is described.
 */
export function addOpenApiRoutes(api: FastifyInstance, { langOf }: Pick<RouteContext, 'langOf'>): void {
  const served: ServedRoute[] = [];
  api.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) served.push(...routeOf(each, url.slice(api.prefix.length)));
  });
  const made = new Map<Lang, JsonObject>();
  const documentIn = (lang: Lang): JsonObject => {
    const document = made.get(lang) ?? openApiDocument(served, ROUTE_DOCS, lang);
    made.set(lang, document);
    return document;
  };
  api.get('/openapi.json', async (request) => documentIn(langOf(request)));
  api.get('/docs', async (request, reply) => {
    const lang = langOf(request);
    reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY);
    return openApiPage(documentIn(lang), lang);
  });
}

/** HEAD is what GET answers without its body, and needs no words of its own. */
function routeOf(method: string, url: string): ServedRoute[] {
  const permission = ROUTE_PERMISSIONS.get(`${method} ${url}`);
  return method === 'HEAD' || permission === undefined ? [] : [{ method, url, permission }];
}
