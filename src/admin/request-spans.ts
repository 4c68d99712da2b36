import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readTraceContext, type TraceContext } from '../core/trace-parent.ts';
import type { Span, Tracer } from '../ports/tracer.ts';

/** What machines ask all day, and the files of the console: nothing follows from them. Nor from a stream of hours. */
const UNTRACED = /^\/(livez|readyz|metrics|setup|assets\/.*|\*|api\/v1\/tenants\/:tenant\/logs\/stream)?$/;

/** The trace that a request belongs to; undefined where it belongs to none. */
export type TraceOf = (request: FastifyRequest) => TraceContext | undefined;

/**
 * Tells of requests in traces: each goes on with its caller's (`traceparent`, `tracestate`). Paths, queries and headers
 * stay out, for they may hold names and secrets; the route says enough. Without a tracer nothing is carried on.
 */
export function addRequestSpans(server: FastifyInstance, tracer: Tracer | undefined): TraceOf {
  if (tracer === undefined) return () => undefined;
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', async (request) => {
    const parent = callerOf(request);
    const { url } = request.routeOptions;
    if ((parent === undefined && !tracer.isOn) || (url !== undefined && UNTRACED.test(url))) return;
    spans.set(request, startRequestSpan(tracer, request, parent));
  });
  server.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode });
    span?.end(reply.statusCode >= 500 ? String(reply.statusCode) : undefined);
    spans.delete(request);
  });
  server.addHook('onRequestAbort', async (request) => {
    spans.get(request)?.end('aborted');
    spans.delete(request);
  });
  return (request) => spans.get(request);
}

function startRequestSpan(tracer: Tracer, request: FastifyRequest, parent: TraceContext | undefined): Span {
  const { url } = request.routeOptions;
  // Addresses that engines give themselves are no routes: any name may be one.
  return tracer.start(url === undefined ? request.method : `${request.method} ${url}`, {
    kind: 'server',
    parent,
    attributes: { 'http.request.method': request.method, 'http.route': url, 'url.scheme': request.protocol },
  });
}

function callerOf({ headers }: FastifyRequest): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  return readTraceContext(textOf(traceparent), textOf(tracestate));
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
