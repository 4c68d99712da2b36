import { parseEngineHeader } from '../core/engine-header.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import { FIXED_COLUMNS, type ScriptNames, type TypedTable } from '../core/script-types.ts';
import { isTest, type ScriptFile } from './script-project.ts';

/**
 * What a script project itself names before it is pushed: its engines, the queues of their headers and the tables of
 * `tables.json`. What `push` would refuse is left out here without a word: push tells it.
 */
export function projectNames(files: readonly ScriptFile[]): ScriptNames {
  const headers = files
    .filter(({ path }) => path.endsWith('.js') && !isTest(path))
    .flatMap(({ path, text }) => {
      const header = parseEngineHeader(path, text);
      return header.ok ? [header.value] : [];
    });
  return {
    engines: headers.map(({ engineKey }) => engineKey),
    queues: headers.flatMap(({ queues }) => queues),
    tables: files.filter(({ path }) => path === 'tables.json').flatMap(({ text }) => tablesOf(text)),
  };
}

function tablesOf(text: string): TypedTable[] {
  const parsed = parseJson(text);
  if (!parsed.ok) return [];
  return objectsOf(parsed.value).map(({ Name, Fields }) => ({
    name: String(Name ?? ''),
    columns: [...FIXED_COLUMNS, ...objectsOf(Fields).map(columnOf)],
  }));
}

function columnOf({ Name, Type }: JsonObject): TypedTable['columns'][number] {
  const isNumber = /^(int|bigint|decimal)/i.test(String(Type ?? ''));
  return { name: String(Name ?? ''), kind: isNumber ? 'decimal' : 'text' };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
