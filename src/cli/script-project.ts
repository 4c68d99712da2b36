import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { utf8 } from '../core/json-text.ts';
import { UsageError } from './usage-error.ts';

/** A file of a script project. `path` is relative to its directory, with forward slashes. */
export interface ScriptFile {
  readonly path: string;
  readonly text: string;
}

/** All files together; the host takes little more in one request. */
const MAX_PROJECT_BYTES = 16 * 1024 * 1024;

/**
 * Reads a script project: every `.js` file below the directory, without `node_modules` and names that begin with a
 * dot and tests, and `tables.json` in the directory itself. In the order of their paths. Links are not followed.
 * @throws UsageError when there is nothing to push, or a file is not UTF-8.
 */
export function readScriptProject(directory: string): ScriptFile[] {
  const files = listScripts(directory).filter(({ path }) => !isTest(path));
  if (files.length === 0) {
    throw new UsageError(`${directory} 里没有 .js 文件`, `${directory} holds no .js file`);
  }
  const bytes = files.reduce((sum, file) => sum + Buffer.byteLength(file.text), 0);
  if (bytes <= MAX_PROJECT_BYTES) return files;
  throw new UsageError(
    `${directory} 共 ${bytes} 字节，一次最多推送 ${MAX_PROJECT_BYTES} 字节`,
    `${directory} has ${bytes} bytes, one push takes ${MAX_PROJECT_BYTES}`,
  );
}

/** The same with its tests, and however many there are. */
export function listScripts(directory: string): ScriptFile[] {
  const paths = listFiles(directory, directory).sort();
  return paths.map((path) => ({ path, text: readScript(join(directory, path)) }));
}

/** `*.test.js` is run by `v8host test` and never pushed. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.js');
}

function listFiles(directory: string, root: string): string[] {
  return readDirectory(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return listFiles(path, root);
    const wanted = entry.name.endsWith('.js') || (directory === root && entry.name === 'tables.json');
    return entry.isFile() && wanted ? [relative(root, path).split(sep).join('/')] : [];
  });
}

function readDirectory(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (thrown) {
    const reason = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    throw new UsageError(
      `读不到目录 ${directory}（${reason}）`,
      `The directory ${directory} cannot be read (${reason})`,
    );
  }
}

function readScript(path: string): string {
  const text = utf8(readFileSync(path));
  if (text !== undefined) return text;
  throw new UsageError(`${path} 不是 UTF-8 文本`, `${path} is not UTF-8 text`);
}
