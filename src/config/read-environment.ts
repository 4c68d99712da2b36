import { resolve } from 'node:path';
import { bilingual } from '../core/bilingual.ts';
import { nearestName } from '../core/nearest-name.ts';
import { type EnvironmentSource, nonBlank } from './cli-environment.ts';
import type { Problem } from './problem.ts';
import { fromText } from './raw-settings.ts';
import { SETTING_LIST, type Setting } from './setting-list.ts';

/** A value that the environment gives to a setting. */
export interface EnvironmentValue {
  readonly setting: Setting;
  readonly value: unknown;
  /** Where it stands: the setting's own variable, the one of its file, or the platform's name. */
  readonly variable: string;
}

interface FoundText {
  readonly text: string;
  readonly variable: string;
}

/** Variables of ours that are no settings: they belong to the command line, or name the file. */
const OTHER_VARIABLES = ['V8HOST_CONFIG', 'V8HOST_URL', 'V8HOST_TOKEN', 'V8HOST_TOKEN_FILE'];

/** The platform's name for the main tenant. */
const TENANT_ALIAS = 'OsClient';

/**
 * Reads every setting from the environment. An empty variable counts as absent, because compose files write
 * `${NAME:-}`. Secrets may also come from the file that `<variable>_FILE` names.
 */
export function readEnvironment(source: EnvironmentSource): { values: EnvironmentValue[]; problems: Problem[] } {
  const problems = unknownVariables(source.env);
  const values: EnvironmentValue[] = [];
  for (const setting of SETTING_LIST) {
    const found = textOf(setting, source, problems);
    if (found === undefined) continue;
    values.push({ setting, value: fromText(setting.kind, found.text), variable: found.variable });
  }
  return { values, problems };
}

function textOf(setting: Setting, source: EnvironmentSource, problems: Problem[]): FoundText | undefined {
  const direct = textIn(source.env, setting.variable);
  if (setting.path === 'tenant') return direct ?? textIn(source.env, TENANT_ALIAS);
  if (setting.doc.secret !== true) return direct;
  const variable = `${setting.variable}_FILE`;
  const file = nonBlank(source.env[variable]);
  if (file === undefined) return direct;
  if (direct !== undefined) {
    const rule = bilingual(`与 ${setting.variable} 只能设置一个`, `set either this or ${setting.variable}`);
    problems.push({ where: variable, rule, variable });
    return direct;
  }
  const text = nonBlank(source.readFile(resolve(source.cwd, file)));
  if (text === undefined) {
    const rule = bilingual(`文件 ${file} 不存在或为空`, `the file ${file} is missing or empty`);
    problems.push({ where: variable, rule, variable });
    return undefined;
  }
  return { text, variable };
}

function textIn(env: EnvironmentSource['env'], variable: string): FoundText | undefined {
  const text = nonBlank(env[variable]);
  return text === undefined ? undefined : { text, variable };
}

function unknownVariables(env: EnvironmentSource['env']): Problem[] {
  const known = knownVariables();
  return Object.keys(env)
    .filter((name) => name.startsWith('V8HOST_') && !known.includes(name))
    .map((name) => ({ where: name, rule: unknownName(name, known), variable: name }));
}

/** Every variable the host accepts. */
export function knownVariables(): string[] {
  const settings = SETTING_LIST.flatMap(({ variable, doc }) =>
    doc.secret === true ? [variable, `${variable}_FILE`] : [variable],
  );
  return [...settings, ...OTHER_VARIABLES];
}

/** Says that a name is unknown, and which one was probably meant. */
export function unknownName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? bilingual('未知的设置', 'no such setting')
    : bilingual(`未知的设置，是否为 ${nearest}？`, `no such setting, did you mean ${nearest}?`);
}
