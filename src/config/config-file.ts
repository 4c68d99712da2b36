import { resolve } from 'node:path';
import { bilingual } from '../core/bilingual.ts';
import { isJsonObject } from '../core/json.ts';
import type { EnvironmentSource } from './cli-environment.ts';
import type { Problem } from './problem.ts';
import { copyTree, emptyTree, type RawSettings } from './raw-settings.ts';

/** What the configuration file says. */
export interface ConfigFile {
  /** Its path as it was named; undefined when there is none. */
  readonly file: string | undefined;
  readonly tree: RawSettings;
  readonly problems: Problem[];
}

const DEFAULT_FILE = 'v8host.config.json';

/**
 * Reads the configuration file into a tree of raw settings.
 * @param asked the file that was named; without it the standard one is read where there is one.
 */
export function readConfigFile(asked: string | undefined, source: EnvironmentSource): ConfigFile {
  const empty = emptyTree();
  const file = asked ?? DEFAULT_FILE;
  const text = source.readFile(resolve(source.cwd, file));
  if (text === undefined) {
    const missing = { where: file, rule: bilingual('配置文件不存在', 'the configuration file does not exist') };
    return { file: undefined, tree: empty, problems: asked === undefined ? [] : [missing] };
  }
  const parsed = parseFile(text);
  if (typeof parsed === 'string') return { file, tree: empty, problems: [{ where: file, rule: parsed }] };
  return { file, tree: parsed, problems: [] };
}

/** The tree, or what is wrong with the text. The parser's own message would quote the file, secrets included. */
function parseFile(text: string): RawSettings | string {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const place = /line \d+ column \d+/.exec(String(error))?.[0] ?? 'end';
    return bilingual(`不是合法的 JSON（${place}）`, `not valid JSON (${place})`);
  }
  if (!isJsonObject(value)) return bilingual('须为 JSON 对象 { … }', 'must be a JSON object { … }');
  return copyTree(value) as RawSettings;
}
