import type { RunHead } from './messages.ts';

/** Writes the text of a `run` or `nested` frame: JSON of the head, LF, JSON of the script's input. */
export function writeRunText(start: RunHead & { readonly inputJson: string }): string {
  const { tenant, engineKey, version, limits } = start;
  return `${JSON.stringify({ tenant, engineKey, version, limits })}\n${start.inputJson}`;
}

/** Splits the text of a `run` or `nested` frame. JSON has no line feed outside of strings, and in them it is escaped. */
export function splitRunText(text: string): { readonly headJson: string; readonly inputJson: string } {
  const at = text.indexOf('\n');
  return { headJson: text.slice(0, at), inputJson: text.slice(at + 1) };
}
