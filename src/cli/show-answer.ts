import type { DosResult } from '../core/dos-result.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { type CommandCall, EXIT } from './command.ts';
import type { HostAnswer } from './host-client.ts';
import { visibleLines, visibleText } from './visible-text.ts';

/**
 * Shows a host's answer: as it came with `--json`, its data by `show` when it succeeded, its sentence as a message
 * when it failed. @returns the exit code.
 */
export function showAnswer(call: CommandCall, answer: HostAnswer, show: (data: JsonValue) => void): number {
  if (call.options.json === true) call.terminal.out(answer.text);
  else if (isSuccess(answer.result)) show(answer.result.Data ?? null);
  else showFailure(call, answer.result);
  if (isSuccess(answer.result)) return EXIT.ok;
  return EXIT_BY_STATUS[answer.status] ?? EXIT.failed;
}

/** 400 is about what was typed: a name, a limit, a state. */
const EXIT_BY_STATUS: Readonly<Record<number, number>> = { 400: EXIT.usage, 404: EXIT.notFound };

/** `Code` of 1, also as text: a script's result comes as it made it. */
export function isSuccess(result: DosResult): boolean {
  return String(result.Code) === '1';
}

function showFailure({ terminal }: CommandCall, result: DosResult): void {
  const code = result.ReasonCode === undefined ? `Code ${String(result.Code)}` : result.ReasonCode;
  const [first = '', ...more] = visibleLines(String(result.Msg ?? ''));
  terminal.err(`${first} (${code})`);
  for (const line of more) terminal.err(`    ${line}`);
  const stack = isJsonObject(result.DataAppend) ? result.DataAppend.stack : undefined;
  if (typeof stack !== 'string' || stack === '') return;
  for (const line of stack.split('\n')) terminal.err(`    ${visibleText(line)}`);
}
