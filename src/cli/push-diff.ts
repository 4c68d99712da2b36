import { parseEngineHeader } from '../core/engine-header.ts';
import { changedLines, type DiffLine } from '../core/line-diff.ts';
import type { NoteProgress } from '../core/progress.ts';
import { tenantKey } from '../core/tenant.ts';
import type { CommandCall } from './command.ts';
import type { ScriptFile } from './script-project.ts';
import { engineKeys, readSource } from './stored-engines.ts';
import { visibleText } from './visible-text.ts';

/** Kept lines shown around a change, and lines shown of one script. */
const AROUND = 2;
const MOST_LINES = 60;

/** Shows how scripts differ from those of the tenant. Nothing where the caller may not read them. */
export async function showDifferences(
  call: CommandCall,
  files: readonly ScriptFile[],
  note: NoteProgress,
): Promise<void> {
  const answer = await call.host().ask('GET', `${call.tenantPath()}/engines`);
  const stored = new Map(engineKeys(answer.result.Data).map((key) => [tenantKey(key), key]));
  for (const [index, { path, text }] of files.entries()) {
    const header = parseEngineHeader(path, text);
    const key = header.ok ? stored.get(tenantKey(header.value.engineKey)) : undefined;
    const before = key === undefined ? undefined : await readSource(call, key);
    if (before !== undefined && before !== text) showDifference(call, path, before, text);
    note({ step: 'compare', done: index + 1, total: files.length });
  }
}

function showDifference({ terminal }: CommandCall, path: string, before: string, after: string): void {
  const shown = withoutEnd(changedLines(before, after, AROUND));
  const count = (sign: string): number => shown.filter((line) => line?.sign === sign).length;
  terminal.err(`${visibleText(path)}  +${count('+')} -${count('-')}`);
  for (const line of shown.slice(0, MOST_LINES)) {
    terminal.err(line === undefined ? '    …' : `  ${line.sign} ${visibleText(line.text)}`.trimEnd());
  }
  if (shown.length > MOST_LINES) terminal.err('    …');
}

/** Without what stands behind the last line break, which is no line. */
function withoutEnd(lines: readonly (DiffLine | undefined)[]): readonly (DiffLine | undefined)[] {
  const last = lines.at(-1);
  return last?.sign === ' ' && last.text === '' ? lines.slice(0, -1) : lines;
}
