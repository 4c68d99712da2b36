import type { FastifyInstance } from 'fastify';

/** What a page elsewhere may read of an answer beside its body: the renewed token of its login. */
const EXPOSED = 'authorization';

/** Headers that the routes and the engine entry read. */
const ALLOWED_HEADERS = 'authorization, content-type, last-event-id, lang, osclient, token, did, apiengine';
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE';

/** How long a browser remembers the answer. Seconds. */
const MAX_AGE = '600';

/**
 * Lets pages of these origins call the host from browsers; without any, browsers keep every other page out. They bring a
 * token: cookies are never allowed across origins, or a page could act as whoever is logged in at the console.
 * @param origins each as browsers send it, such as `https://erp.example.com`.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const known = new Set(origins);
  server.addHook('onRequest', async (request, reply) => {
    // Whatever keeps answers must keep them apart by who asked.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !known.has(origin)) return;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
    await reply
      .code(204)
      .header('access-control-allow-methods', ALLOWED_METHODS)
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', MAX_AGE)
      .send();
  });
}
