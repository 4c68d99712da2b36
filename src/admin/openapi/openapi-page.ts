import { createHash } from 'node:crypto';
import type { Lang } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { API_PREFIX } from './openapi-document.ts';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2933}
h2{margin-top:2.5rem;border-bottom:1px solid #cbd2d9}details{border:1px solid #cbd2d9;border-radius:4px;margin:.5rem 0}
summary{cursor:pointer;padding:.5rem .75rem}details>div{padding:0 .75rem .75rem}
code,pre{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
pre{background:#f5f7fa;padding:.6rem;white-space:pre-wrap;border-radius:4px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;border-top:1px solid #e4e7eb}
.method{display:inline-block;min-width:4.5rem;font-weight:600;color:#0b69a3}nav a{margin-right:1rem}
@media (prefers-color-scheme:dark){body{background:#16191d;color:#e4e7eb}pre{background:#22272e}
.method{color:#62b0e8}a{color:#62b0e8}h2,details,td,th{border-color:#3e4c59}}`;

/** The page has no script and loads nothing: it is its own text. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const WORDS = {
  other: { zh: 'English', en: '中文' },
  document: { zh: 'OpenAPI 3.1 文档', en: 'OpenAPI 3.1 document' },
  parameters: { zh: '参数', en: 'Parameters' },
  body: { zh: '请求体', en: 'Body' },
  example: { zh: '示例', en: 'Example' },
  answers: { zh: '响应', en: 'Answers' },
} as const satisfies Record<string, Readonly<Record<Lang, string>>>;

/** The document as a page for people, in one file without a script. */
export function openApiPage(document: JsonObject, lang: Lang): string {
  const info = objectOf(document.info);
  const tags = listOf(document.tags).map((tag) => ({ name: textOf(tag.name), title: textOf(tag.description) }));
  const operations = operationsOf(document);
  const sections = tags.flatMap(({ name, title }) => {
    const own = operations.filter(({ operation }) => listOfText(operation.tags).includes(name));
    if (own.length === 0) return [];
    return [`<h2 id="${name}">${htmlOf(title)}</h2>${own.map((each) => operationHtml(each, lang)).join('')}`];
  });
  const other = lang === 'zh' ? 'en' : 'zh';
  return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${htmlOf(textOf(info.title))}</title><style>${STYLE}</style><h1>${htmlOf(textOf(info.title))}</h1>
<p>${htmlOf(textOf(info.description))}</p>
<nav><a href="openapi.json?_Lang=${lang}">${WORDS.document[lang]}</a><a href="?_Lang=${other}" lang="${other}">${WORDS.other[lang]}</a></nav>
${sections.join('\n')}</html>`;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(objectOf(document.paths)).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: objectOf(operation),
    })),
  );
}

function operationHtml({ method, path, operation }: Operation, lang: Lang): string {
  const parts = [
    `<p>${htmlOf(textOf(operation.description))}</p>`,
    parametersHtml(operation, lang),
    bodyHtml(operation, lang),
    `<h4>${WORDS.example[lang]}</h4><pre>${htmlOf(curlOf({ method, path, operation }))}</pre>`,
    answersHtml(operation, lang),
  ];
  return `<details id="${textOf(operation.operationId)}"><summary><span class="method">${method}</span>
<code>${htmlOf(API_PREFIX + path)}</code> ${htmlOf(textOf(operation.summary))}</summary><div>${parts.join('')}</div></details>`;
}

function parametersHtml(operation: JsonObject, lang: Lang): string {
  const rows = listOf(operation.parameters)
    .filter(({ name }) => name !== undefined)
    .map(
      ({ name, in: where, schema }) =>
        `<tr><td><code>${htmlOf(textOf(name))}</code><td>${htmlOf(textOf(where))}<td><code>${htmlOf(JSON.stringify(schema))}</code>`,
    );
  return rows.length === 0 ? '' : `<h4>${WORDS.parameters[lang]}</h4><table>${rows.join('')}</table>`;
}

function bodyHtml(operation: JsonObject, lang: Lang): string {
  const { schema } = jsonContent(operation.requestBody);
  return schema === undefined ? '' : `<h4>${WORDS.body[lang]}</h4><pre>${htmlOf(pretty(schema))}</pre>`;
}

function answersHtml(operation: JsonObject, lang: Lang): string {
  const rows = Object.entries(objectOf(operation.responses)).map(([status, response]) => {
    const { description, content } = objectOf(response);
    const { schema } = jsonContent(response);
    const shown = status.startsWith('2') && content !== undefined ? `<pre>${htmlOf(pretty(schema ?? {}))}</pre>` : '';
    const lines = textOf(description).split('\n\n').map(codeHtml).join('<br>');
    return `<tr><td>${status}<td>${lines}${shown}`;
  });
  return `<h4>${WORDS.answers[lang]}</h4><table>${rows.join('')}</table>`;
}

/** A sentence in which the code stands between backquotes. */
function codeHtml(line: string): string {
  return htmlOf(line).replace(/`([A-Z0-9_]+)`/, '<code>$1</code>');
}

/** A request as a shell takes it. */
function curlOf({ method, path, operation }: Operation): string {
  const parameters = listOf(operation.parameters);
  const named = (name: string) => textOf(parameters.find((each) => each.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(named(name)) || whole);
  const query = parameters
    .filter((each) => each.in === 'query' && typeof each.example === 'string')
    .map((each) => `${textOf(each.name)}=${encodeURIComponent(textOf(each.example))}`);
  const url = `"$V8HOST_URL${API_PREFIX}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const { example } = jsonContent(operation.requestBody);
  const isPublic = Array.isArray(operation.security);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${url}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $V8HOST_TOKEN"']),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`]),
  ].join(' \\\n  ');
}

function jsonContent(part: JsonValue | undefined): { schema?: JsonValue; example?: JsonValue } {
  return objectOf(objectOf(objectOf(part).content)['application/json']);
}

function pretty(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}

function htmlOf(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function listOfText(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
