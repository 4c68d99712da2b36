import { readFileSync } from 'node:fs';
import { describeError } from '../core/errors.ts';
import { parseJson } from '../core/json-text.ts';
import { UsageError } from './usage-error.ts';

/**
 * The JSON text of an argument, or of the file that `@path` names. It is checked and passed on as written, so that
 * large integers stay what they are. @throws UsageError naming the argument and where the JSON breaks.
 */
export function readJsonArgument(name: string, argument: string): string {
  const text = argument.startsWith('@') ? readJsonFile(argument.slice(1)) : argument;
  const parsed = parseJson(text);
  if (parsed.ok) return text.replace(/^\ufeff/, '');
  throw new UsageError(
    `${name}：${describeError(parsed.error, 'zh')}（整个 JSON 要用单引号括起来，或写 @文件名）`,
    `${name}: ${describeError(parsed.error, 'en')} (quote the whole JSON, or write @file)`,
  );
}

function readJsonFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    throw new UsageError(`读不到文件 ${path}（${reason}）`, `The file ${path} cannot be read (${reason})`);
  }
}
