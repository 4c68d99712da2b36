import { readFileSync } from 'node:fs';
import { type CommandCall, textOption } from './command.ts';
import { UsageError } from './usage-error.ts';

/** The value of an option that a command cannot do without. @throws UsageError. */
export function neededOption(call: Pick<CommandCall, 'options'>, option: string): string {
  const value = textOption(call, option);
  if (value !== undefined) return value;
  throw new UsageError(`缺少选项 --${option}`, `The option --${option} is missing`);
}

/**
 * A password in a file, so that neither the shell's history nor the list of processes has it: the first line, because
 * editors end a file with a line break. @throws UsageError.
 */
export function readPasswordFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (thrown) {
    const reason = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    throw new UsageError(`读不到文件 ${path}（${reason}）`, `The file ${path} cannot be read (${reason})`);
  }
}
