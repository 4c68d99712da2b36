/** Every example of the API's description, sent to a real host in the order of the page; answers are as described. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROUTE_DOCS } from '../../src/admin/openapi/route-docs.ts';
import { ROUTE_PERMISSIONS } from '../../src/admin/route-permissions.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { service } from '../support/services/services.ts';
import { tempDir } from '../support/temp-dir.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly Code?: number;
  readonly Data?: Json;
}

interface Operation {
  readonly requestBody?: { content: { 'application/json': { example?: Json } } };
  readonly parameters: readonly { name: string; in: string; example?: string }[];
  readonly responses: Record<string, { content: Record<string, { schema: Json }> }>;
}

const FAILING = `/**
 * Fails for good.
 *
 * @queue failures
 * @retry 0
 */
return { Code: 0, Msg: 'no stock for ' + V8.Param.Message.Message.Name };
`;
const HOST_TOKEN = 'test-token-0123456789abcdef';
const DEVICE = { account: 'device', password: 'device-password' } as const;
const ajv = new Ajv2020({ strict: false });

test('the examples of the API', async (t) => {
  const examples = await Examples.prepare(t);
  for (const [route, doc] of Object.entries(ROUTE_DOCS)) {
    await t.test(route, async () => {
      const { status, text, described } = await examples.send(route);
      assert.equal(status, doc.status ?? 200, text);
      const [[media, { schema }] = ['', { schema: {} }]] = Object.entries(described[status]?.content ?? {});
      const answer: Answer = media === 'application/json' ? JSON.parse(text) : text;
      const check = ajv.compile(closed(schema) as Json);
      assert.ok(check(answer), `${JSON.stringify(check.errors)} of ${text.slice(0, 2000)}`);
      if (doc.media === undefined) assert.equal(answer.Code, 1, text);
      examples.remember(route, answer);
    });
  }
});

/** A host on which every example can be done, with its description. */
class Examples {
  readonly #host: HostProcess;
  readonly #paths: Record<string, Record<string, Operation>>;
  /** What the host made, in place of what stands in an example. */
  readonly #made: Record<string, string>;
  #login = '';

  private constructor(
    host: HostProcess,
    paths: Record<string, Record<string, Operation>>,
    made: Record<string, string>,
  ) {
    this.#host = host;
    this.#paths = paths;
    this.#made = made;
  }

  static async prepare(t: TestContext): Promise<Examples> {
    const port = await ownPort();
    const host = await HostProcess.create(tempDir(t), { mqtt: { enabled: true, port, ...DEVICE } });
    t.after(() => host.kill());
    await host.start();
    await failTwice(host);
    refuseSending(host);
    const options = { username: 'demo:device', password: DEVICE.password, clientId: 'sensor-1', reconnectPeriod: 0 };
    await connectClient(t, `mqtt://127.0.0.1:${port}`, options);
    const document = await fetch(`http://127.0.0.1:${host.port}/api/v1/openapi.json`);
    const { paths } = (await document.json()) as { paths: Record<string, Record<string, Operation>> };
    const code = /setup#([\w-]+)/.exec(host.output)?.[1] ?? '';
    return new Examples(host, paths, { code, ...(await rabbitManagement()) });
  }

  /** Sends a route's example; what is written a moment after the request before it is waited for. */
  async send(route: string) {
    const [method = '', path = ''] = route.split(' ');
    const operation = this.#paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    assert.ok(operation !== undefined, `${route} is not described`);
    const deadline = Date.now() + 60_000;
    for (;;) {
      const response = await this.#ask(method, path, operation);
      const answer = { status: response.status, text: await textOf(response), described: operation.responses };
      if (answer.status !== 404 || Date.now() > deadline) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Notes what later examples speak of; the tenant that was made gets the server where its account will be. */
  remember(route: string, { Data }: Answer): void {
    if (Data?.token !== undefined) this.#login = String(Data.token);
    if (route === 'POST /tenants/:tenant/users') this.#made.userId = String(Data?.id);
    if (route === 'POST /isolation-checks') this.#made.checkId = String(Data?.id);
    if (route === 'POST /tenants/:tenant/keys') this.#made.keyId = String(Data?.id);
    if (/^POST \/tenants\/:tenant\/(mqtt\/)?bindings$/.test(route)) this.#made.id = String(Data?.id);
    if (route !== 'POST /tenants') return;
    const { host = '', port = '' } = this.#made;
    this.#host.sql('demo', "UPDATE sys_osclients SET MQHost = ?, MQPort = ? WHERE OsClient = 'acme'", host, port);
  }

  #ask(method: string, path: string, { parameters, requestBody }: Operation): Promise<Response> {
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const example = parameters.find((each) => each.name === name && each.in === 'path')?.example;
      return encodeURIComponent(this.#made[name] ?? example ?? '');
    });
    const query = parameters.flatMap((each) =>
      each.in === 'query' && each.example !== undefined ? [[each.name, String(each.example)]] : [],
    );
    const body = requestBody?.content['application/json'].example;
    const isOwn = ROUTE_PERMISSIONS.get(`${method} ${path}`) === 'session.own';
    return fetch(`http://127.0.0.1:${this.#host.port}/api/v1${filled}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        authorization: `Bearer ${isOwn ? this.#login : HOST_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(this.#own(path, body)) }),
    });
  }

  /** The code of the first start and the login of RabbitMQ are this host's own. */
  #own(path: string, body: Json): Json {
    const { code, url, user, password } = this.#made;
    if (path === '/setup') return { ...body, code };
    return path.endsWith('/rabbitmq-setup') ? { url, user, password } : body;
  }
}

/** Leaves the message in the outbox that the examples speak of. */
function refuseSending(host: HostProcess): void {
  const columns = 'Seq, RunId, Ordinal, QueueName, EventId, Body, Props, ClaimUntil, Attempts, State, LastError';
  const row =
    "1000, '01JD0000000000000000000000', 0, 'microi.demo.greetings', 'refused-1', cast(? as blob), ?, 0, 10, 'failed', 'no'";
  const props = JSON.stringify({ messageId: 'refused-1', headers: {} });
  host.sql('demo', `INSERT INTO mq_outbox (${columns}) VALUES (${row})`, '{"Message":{}}', props);
}

/** Leaves the two dead letters that the examples speak of. */
async function failTwice(host: HostProcess): Promise<void> {
  await host.api('PUT', 'tenants/demo/engines', { files: [{ path: 'fail.js', text: FAILING }] });
  for (const n of [1, 2]) {
    await host.api('POST', 'tenants/demo/queues/failures/messages', { EventId: `failure-${n}`, Message: { Name: n } });
  }
  await eventually(async () => {
    const { body } = await host.api('GET', 'tenants/demo/dead-letters');
    assert.equal(body.DataCount, 2);
  });
}

async function rabbitManagement() {
  const { rabbitApiUrl, rabbitUrl } = await service('rabbitmq');
  const { hostname, port } = new URL(rabbitUrl);
  const { username, password, origin } = new URL(rabbitApiUrl);
  return {
    url: origin,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    host: hostname,
    port,
  };
}

/** Of a stream that does not end, its beginning. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** The same schema where nothing may be that is not described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const isShape = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isShape ? { additionalProperties: false } : {}) };
}
