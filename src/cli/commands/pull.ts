import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEngineKey } from '../../core/engine.ts';
import { parseEngineHeader } from '../../core/engine-header.ts';
import { tenantKey } from '../../core/tenant.ts';
import { type Command, EXIT } from '../command.ts';
import { listScripts } from '../script-project.ts';
import { showAnswer } from '../show-answer.ts';
import { engineKeys, readSource } from '../stored-engines.ts';
import { TYPES_FOLDER, writeTenantTypes } from '../tenant-types.ts';
import { visibleText } from '../visible-text.ts';

/** `pull`: writes a tenant's engines into a directory, each to the file that has its key, else to `KEY.js`. Where there are types already, they are brought up to date. */
export const pull: Command = {
  name: 'pull',
  summary: { zh: '把租户的接口引擎下载到目录', en: "download a tenant's engines into a directory" },
  args: ['DIR'],
  options: {
    force: { summary: { zh: '覆盖本地不同的文件', en: 'overwrite files that differ' } },
  },
  client: true,
  examples: ['v8host pull ./my-scripts --tenant demo', 'v8host pull ./my-scripts --force'],
  async run(call) {
    const directory = call.args[0] ?? '.';
    const answer = await call.host().ask('GET', `${call.tenantPath()}/engines`);
    let keys: string[] = [];
    const code = showAnswer(call, answer, (data) => {
      keys = engineKeys(data);
    });
    if (keys.length === 0) return code;
    mkdirSync(directory, { recursive: true });
    const places = placesOf(directory);
    let kept = 0;
    for (const [done, key] of keys.entries()) {
      call.terminal.progress?.(`${done}/${keys.length} ${key}`);
      const source = await readSource(call, key);
      const path = places.get(tenantKey(key)) ?? (parseEngineKey(key).ok ? `${key}.js` : undefined);
      const isLost = path === undefined || source === undefined;
      const state = isLost ? 'skipped' : write(join(directory, path), source, call.options.force === true);
      if (state === 'kept' || state === 'skipped') kept++;
      call.terminal.out(`${WORDS[state][call.lang]}  ${visibleText(path ?? key)}`);
    }
    const typed = existsSync(join(directory, TYPES_FOLDER)) ? await writeTenantTypes(call, directory) : EXIT.ok;
    if (kept === 0) return code === EXIT.ok ? typed : code;
    const zh = `${kept} 个没有写入：本地文件不同（用 --force 覆盖）、Key 不能作文件名，或无权读取源码`;
    const en = `${kept} not written: the file here differs (--force overwrites it), its key is no file name, or you may not read it`;
    call.terminal.err(call.lang === 'zh' ? zh : en);
    return EXIT.failed;
  },
};

type Written = 'written' | 'same' | 'kept' | 'skipped';

const WORDS: Readonly<Record<Written, { readonly zh: string; readonly en: string }>> = {
  written: { zh: '写入', en: 'written' },
  same: { zh: '相同', en: 'same' },
  kept: { zh: '保留', en: 'kept' },
  skipped: { zh: '跳过', en: 'skipped' },
};

function write(path: string, source: string, force: boolean): Written {
  const here = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (here === source) return 'same';
  if (here !== undefined && !force) return 'kept';
  writeFileSync(path, source);
  return 'written';
}

/** Files of the directory by the keys of their engines. */
function placesOf(directory: string): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { path, text } of listScripts(directory)) {
    const header = parseEngineHeader(path, text);
    if (header.ok) places.set(tenantKey(header.value.engineKey), path);
  }
  return places;
}
