import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { renderScriptTypes, type ScriptNames, type TypedTable } from '../core/script-types.ts';
import { type CommandCall, EXIT } from './command.ts';
import { projectNames } from './project-names.ts';
import { listScripts } from './script-project.ts';
import { isSuccess, showAnswer } from './show-answer.ts';

/** Where a script project keeps its declarations, below its directory. */
export const TYPES_FOLDER = 'types';
const TENANT_TYPES = 'tenant.d.ts';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What a project gets of this version for its editor: source, and place in the project. */
export const RUNTIME_TYPES: readonly (readonly [from: string, to: string])[] = [
  [root('runtime-types/v8.d.ts'), join(TYPES_FOLDER, 'v8.d.ts')],
  [root('runtime-types/editor/index.cjs'), join(TYPES_FOLDER, 'editor', 'index.cjs')],
  [root('runtime-types/editor/package.json'), join(TYPES_FOLDER, 'editor', 'package.json')],
];
const JSCONFIG = root('templates/project/jsconfig.json');

/**
 * Writes `types/tenant.d.ts` of a script project: what the tenant has on the host and what the project adds to it. Brings
 * the other declarations to this version, and makes a `jsconfig.json` where there is none.
 * @returns the exit code. A host that refuses one of the questions is told, and nothing is written.
 */
export async function writeTenantTypes(call: CommandCall, directory: string): Promise<number> {
  const there = await askNames(call);
  if (typeof there === 'number') return there;
  const here = existsSync(directory) ? projectNames(listScripts(directory)) : NO_NAMES;
  const names: ScriptNames = {
    tables: [...there.tables, ...here.tables],
    queues: [...there.queues, ...here.queues],
    engines: [...there.engines, ...here.engines],
  };
  mkdirSync(join(directory, TYPES_FOLDER), { recursive: true });
  for (const [from, to] of RUNTIME_TYPES) cpSync(from, join(directory, to));
  const place = join(directory, TYPES_FOLDER, TENANT_TYPES);
  const text = renderScriptTypes(names);
  const isSame = existsSync(place) && readFileSync(place, 'utf8') === text;
  if (!isSame) writeFileSync(place, text);
  if (!existsSync(join(directory, 'jsconfig.json'))) cpSync(JSCONFIG, join(directory, 'jsconfig.json'));
  tell(call, place, isSame, names);
  return EXIT.ok;
}

const NO_NAMES: ScriptNames = { tables: [], queues: [], engines: [] };

function tell({ options, lang, terminal }: CommandCall, place: string, isSame: boolean, names: ScriptNames): void {
  const [tables, queues, engines] = [names.tables.length, names.queues.length, names.engines.length];
  if (options.json === true) {
    terminal.out(JSON.stringify({ Code: 1, Data: { path: place, changed: !isSame } }));
    return;
  }
  const state = isSame ? { zh: '相同', en: 'same' } : { zh: '写入', en: 'written' };
  const zh = `${state.zh}  ${place}（表 ${tables}、队列 ${queues}、接口引擎 ${engines}）`;
  const en = `${state.en}  ${place} (tables ${tables}, queues ${queues}, engines ${engines})`;
  terminal.out(lang === 'zh' ? zh : en);
}

/** What the host knows of the tenant; a number is the exit code of a refusal that was shown. */
async function askNames(call: CommandCall): Promise<ScriptNames | number> {
  const lists: Record<string, readonly JsonObject[]> = {};
  for (const what of ['tables', 'bindings', 'engines']) {
    const answer = await call.host().ask('GET', `${call.tenantPath()}/${what}`);
    if (!isSuccess(answer.result)) return showAnswer(call, answer, () => undefined);
    lists[what] = objectsOf(answer.result.Data);
  }
  const { tables = [], bindings = [], engines = [] } = lists;
  return {
    tables: tables as unknown as readonly TypedTable[],
    queues: bindings.map(({ queue }) => String(queue ?? '')).filter((queue) => queue !== ''),
    engines: engines.map(({ key }) => String(key)),
  };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
