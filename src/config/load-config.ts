import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { bilingual } from '../core/bilingual.ts';
import { type EnvironmentSource, nonBlank, processSource } from './cli-environment.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigError, type Problem } from './problem.ts';
import { hasRaw, type RawSettings, setRaw } from './raw-settings.ts';
import { readEnvironment, unknownName } from './read-environment.ts';
import { type Deprecation, followRenames, RENAMED_SETTINGS, type RenamedSetting } from './renamed-settings.ts';
import { Secret } from './secret.ts';
import { SETTING_LIST, variableOf } from './setting-list.ts';
import { CROSS_CHECKS, SETTINGS_SCHEMA, type Settings } from './settings-schema.ts';

type DeepReadonly<T> = T extends Secret
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/** Where a setting's value came from. */
export type SettingOrigin = 'default' | 'file' | 'environment';

/** The frozen configuration of a host. */
export type Config = DeepReadonly<Settings> & {
  /** Configuration file that was read; undefined when there is none. */
  readonly file: string | undefined;
  /** Old names of settings that are still in use. */
  readonly deprecations: readonly Deprecation[];
  /** Where the value of a path such as `http.port` came from. */
  originOf(path: string): SettingOrigin;
  /** True when somebody chose the value: such a port does not move on when it is taken. */
  isConfigured(path: string): boolean;
};

export interface LoadOptions {
  /** `--config`. */
  readonly configFile?: string | undefined;
  readonly source?: EnvironmentSource;
  /** CPU cores, for the default of `sandbox.lanes`. */
  readonly cores?: number;
  /** Default: those of this version. */
  readonly renamed?: readonly RenamedSetting[];
}

/** Settings that say nothing about what the host is for: choosing one does not switch the demo off. */
function isMatterOfTaste(path: string): boolean {
  return path === 'lang' || path.startsWith('log.');
}

/** Fewer would leave a small machine idle while its scripts wait for the database. */
const LEAST_DEFAULT_LANES = 4;
const MOST_DEFAULT_LANES = 16;

/** A look at a local file costs nothing; at a server it is one query per tenant (defaults.md 2). */
const LOCAL_RECONCILE_SECONDS = 15;
const REMOTE_RECONCILE_SECONDS = 180;

/**
 * Reads file and environment (which goes before the file), fills in defaults and checks everything.
 * @throws ConfigError with every problem: path, variable and rule, never a value.
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const source = options.source ?? processSource();
  const { file, tree, problems } = readConfigFile(options.configFile ?? nonBlank(source.env.V8HOST_CONFIG), source);
  const renames = followRenames(tree, source, options.renamed ?? RENAMED_SETTINGS);
  const environment = readEnvironment(renames.source);
  problems.push(...renames.problems, ...environment.problems);

  const origins = new Map<string, SettingOrigin>();
  for (const { keys, path } of SETTING_LIST) if (hasRaw(tree, keys)) origins.set(path, 'file');
  const variables = new Map<string, string>();
  for (const { setting, value, variable } of environment.values) {
    origins.set(setting.path, 'environment');
    variables.set(setting.path, renames.deprecations.find(({ instead }) => instead === variable)?.name ?? variable);
    setRaw(tree, setting.keys, value);
  }
  if (!origins.has('reconcileSeconds')) {
    setRaw(tree, ['reconcileSeconds'], origins.has('databaseUrl') ? REMOTE_RECONCILE_SECONDS : LOCAL_RECONCILE_SECONDS);
  }
  if (!origins.has('demo')) setRaw(tree, ['demo'], [...origins.keys()].every(isMatterOfTaste));
  if (!origins.has('sandbox.lanes')) {
    setRaw(tree, ['sandbox', 'lanes'], defaultLanes(options.cores ?? availableParallelism()));
  }
  return freeze(check(tree, problems, variables), { file, deprecations: renames.deprecations }, origins);
}

function defaultLanes(cores: number): number {
  return Math.min(Math.max(cores, LEAST_DEFAULT_LANES), MOST_DEFAULT_LANES);
}

/** @param variables of the settings that the environment gave, by their paths. */
function check(tree: RawSettings, problems: Problem[], variables: ReadonlyMap<string, string>): Settings {
  const parsed = SETTINGS_SCHEMA.safeParse(tree, { error: z.locales.en().localeError });
  if (!parsed.success) {
    // The same issues in the same order, in the other language.
    const chinese = SETTINGS_SCHEMA.safeParse(tree, { error: z.locales.zhCN().localeError }).error?.issues ?? [];
    problems.push(
      ...parsed.error.issues.flatMap((issue, index) =>
        problemsOf(issue, chinese[index] ?? issue).map((found) => ({ ...found, ...variableIn(issue.path, variables) })),
      ),
    );
  } else {
    const broken = CROSS_CHECKS.filter((rule) => !rule.holds(parsed.data));
    problems.push(
      ...broken.map(({ path, beside, rule }) => {
        const given = [path, ...beside].find((each) => variables.has(each)) ?? path;
        return { where: placeOf(path.split('.')), rule, ...variableIn(given.split('.'), variables) };
      }),
    );
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

function problemsOf(english: z.core.$ZodIssue, chinese: z.core.$ZodIssue): Problem[] {
  const path = english.path.map(String);
  if (english.code === 'unrecognized_keys') {
    const known = SETTING_LIST.map((setting) => setting.path);
    return english.keys.map((key) => {
      const where = [...path, key].join('.');
      return { where, rule: unknownName(where, known) };
    });
  }
  const own = english.message === chinese.message;
  return [{ where: placeOf(path), rule: own ? english.message : bilingual(chinese.message, english.message) }];
}

/** The variable that gave the setting at a path, or the one that the path leads into. */
function variableIn(path: readonly PropertyKey[], variables: ReadonlyMap<string, string>): Pick<Problem, 'variable'> {
  for (let length = path.length; length > 0; length--) {
    const variable = variables.get(path.slice(0, length).map(String).join('.'));
    if (variable !== undefined) return { variable };
  }
  return {};
}

/** `http.port (V8HOST_HTTP_PORT)`; list items are named with their index. */
function placeOf(path: readonly string[]): string {
  const setting = SETTING_LIST.find(({ keys }) => keys.every((key, index) => key === path[index]));
  return setting === undefined ? path.join('.') : `${path.join('.')} (${variableOf(setting.keys)})`;
}

function freeze(
  settings: Settings,
  found: Pick<Config, 'file' | 'deprecations'>,
  origins: ReadonlyMap<string, SettingOrigin>,
): Config {
  const originOf = (path: string): SettingOrigin => origins.get(path) ?? 'default';
  return Object.freeze({
    ...deepFreeze(settings),
    ...found,
    originOf,
    isConfigured: (path: string) => originOf(path) !== 'default',
  });
}

function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null && !(value instanceof Secret)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value as DeepReadonly<T>;
}
