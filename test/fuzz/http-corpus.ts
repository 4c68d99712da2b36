/** Requests that are right: what is mutated are their bytes, headers and bodies alike. */
const TOKEN = 'token-of-the-fuzz';

interface Plain {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM =
  '--b0\r\nContent-Disposition: form-data; name="Sku"\r\n\r\nP-1\r\n--b0\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b0--\r\n';

const PLAIN: readonly Plain[] = [
  { method: 'GET', url: '/livez' },
  { method: 'GET', url: '/readyz' },
  { method: 'GET', url: '/api/v1/tenants' },
  { method: 'GET', url: '/api/v1/tenants/demo/deliveries?state=acked&limit=5' },
  { method: 'GET', url: '/api/v1/tenants/demo/events/order-A-1' },
  { method: 'POST', url: '/api/v1/tenants', headers: JSON_TYPE, body: '{"tenant":"newcomer"}' },
  {
    method: 'POST',
    url: '/api/v1/tenants/demo/queues/orders/messages',
    headers: JSON_TYPE,
    body: '{"Message":{"a":1}}',
  },
  {
    method: 'PUT',
    url: '/api/v1/tenants/demo/engines',
    headers: JSON_TYPE,
    body: '{"files":[{"path":"a.js","text":"return {Code:1}"}]}',
  },
  {
    method: 'POST',
    url: '/api/v1/tenants/demo/bindings',
    headers: JSON_TYPE,
    body: '{"queue":"orders","engineKey":"stock-show"}',
  },
  { method: 'PATCH', url: '/api/v1/tenants/demo/bindings/1', headers: JSON_TYPE, body: '{"enabled":false}' },
  {
    method: 'POST',
    url: '/api/v1/tenants/demo/mqtt/bindings',
    headers: JSON_TYPE,
    body: '{"filter":"sensor/+","queue":"readings","eventIdPath":"head.id"}',
  },
  { method: 'POST', url: '/api/v1/tenants/demo/dead-letters/replay', headers: JSON_TYPE, body: '{"all":true}' },
  { method: 'GET', url: '/apiengine/stock-show?Sku=P-1&OsClient=demo' },
  {
    method: 'POST',
    url: '/apiengine/stock-show?OsClient=demo',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Accept-Language': 'zh-CN,zh;q=0.9' },
    body: '{"Sku":"P-1","Qty":2,"Deep":[[{"a":null}]],"Text":"\\u4e2d\\ud83d\\ude00"}',
  },
  {
    method: 'POST',
    url: '/api/ApiEngine/Run',
    headers: { ...JSON_TYPE, osclient: 'demo' },
    body: '{"ApiEngineKey":"stock-show","OsClient":"demo"}',
  },
  {
    method: 'POST',
    url: '/api/FormEngine/GetTableData',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', OsClient: 'demo' },
    body: 'FormEngineKey=stock&OsClient=demo&_PageIndex=1&_Where=%5B%5D',
  },
  {
    method: 'POST',
    url: '/apiengine/stock-show?OsClient=demo',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b0' },
    body: FORM,
  },
  {
    method: 'POST',
    url: '/apiengine/stock-show?OsClient=demo',
    headers: { 'Content-Type': 'text/xml; charset=gbk' },
    body: '<xml><Sku><![CDATA[P-1]]></Sku><Qty>2</Qty></xml>',
  },
];

/** The same as bytes; each ends its connection. */
export const HTTP_CORPUS: readonly Buffer[] = PLAIN.map(({ method, url, headers = {}, body = '' }) => {
  const all = {
    Host: 'localhost',
    Authorization: `Bearer ${TOKEN}`,
    ...headers,
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
});

export const FUZZ_TOKEN = TOKEN;
