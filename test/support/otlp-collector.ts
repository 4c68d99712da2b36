import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';

/** A span as it was posted. */
export interface PostedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined of a root. */
  readonly parent: string | undefined;
  readonly name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The process that posted it: `service.instance.id`. */
  readonly instance: string;
  readonly service: string;
  readonly traceState: string;
}

/** An OpenTelemetry collector that keeps what is posted to it: OTLP over HTTP as JSON. */
export class OtlpCollector {
  readonly #server: Server;
  readonly #open: ServerResponse[] = [];
  /** Bodies of all posts. */
  readonly bodies: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly paths: string[] = [];
  /** What is answered: `hang` never does. */
  mode: 'take' | 'refuse' | 'hang' = 'take';

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(t: TestContext): Promise<OtlpCollector> {
    const collector = new OtlpCollector(createServer());
    const server = collector.#server;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      collector.paths.push(request.url ?? '');
      collector.headers.push(request.headers);
      if (collector.mode === 'hang') return void collector.#open.push(response);
      if (collector.mode === 'take') collector.bodies.push(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(collector.mode === 'take' ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => collector.close());
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): PostedSpan[] {
    return this.bodies.flatMap((body) => (JSON.parse(body) as Post).resourceSpans.flatMap(spansOf));
  }

  /** Waits until spans of all these names are there. @returns all spans. */
  async until(names: readonly string[], count = 1): Promise<PostedSpan[]> {
    await eventually(() => {
      const have = this.spans.map(({ name }) => name);
      for (const name of names) {
        const found = have.filter((each) => each === name).length;
        if (found < count) throw new Error(`${found} of ${count} spans ${name}; there are ${have.join(', ')}`);
      }
    });
    return this.spans;
  }

  close(): void {
    for (const response of this.#open) response.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

interface ResourceSpans {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeSpans: readonly {
    readonly spans: readonly {
      readonly traceId: string;
      readonly spanId: string;
      readonly parentSpanId?: string;
      readonly traceState?: string;
      readonly name: string;
      readonly kind: number;
      readonly attributes: Attributes;
    }[];
  }[];
}

interface Post {
  readonly resourceSpans: readonly ResourceSpans[];
}

function spansOf({ resource, scopeSpans }: ResourceSpans): PostedSpan[] {
  const process = valuesOf(resource.attributes);
  return scopeSpans.flatMap(({ spans }) =>
    spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes, traceState = '' }) => ({
      traceId,
      spanId,
      parent: parentSpanId || undefined,
      name,
      kind,
      attributes: valuesOf(attributes),
      instance: String(process['service.instance.id']),
      service: String(process['service.name']),
      traceState,
    })),
  );
}

function valuesOf(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}

/** One trace as lines, each span below its parent and by its start: names, indented by two blanks a level. */
export function treeOf(spans: readonly PostedSpan[], traceId: string): string[] {
  const own = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(own.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, indent: string): string[] =>
    own
      .filter((span) => span.parent === parent)
      .map((span) => [span.name, span] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, span]) => [indent + name, ...below(span.spanId, `${indent}  `)]);
  // What a caller's own span begins is a root here.
  const roots = new Set(own.map(({ parent }) => parent).filter((parent) => parent === undefined || !ids.has(parent)));
  return [...roots].flatMap((root) => below(root, ''));
}
