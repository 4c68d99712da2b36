import type { RunHead } from './messages.ts';

/** Limits as text. They hardly differ from run to run, and every run carries them. */
const LIMITS_TEXTS = new WeakMap<RunHead['limits'], string>();

/** Writes the text of a `run` or `nested` frame: JSON of the head, LF, JSON of the script's input. */
export function writeRunText(start: RunHead & { readonly inputJson: string }): string {
  const names = JSON.stringify({ tenant: start.tenant, engineKey: start.engineKey, version: start.version });
  return `${names.slice(0, -1)},"limits":${limitsText(start.limits)}}\n${start.inputJson}`;
}

function limitsText(limits: RunHead['limits']): string {
  const known = LIMITS_TEXTS.get(limits);
  if (known !== undefined) return known;
  const text = JSON.stringify(limits);
  LIMITS_TEXTS.set(limits, text);
  return text;
}

/** Splits the text of a `run` or `nested` frame. JSON has no line feed outside of strings, and in them it is escaped. */
export function splitRunText(text: string): { readonly headJson: string; readonly inputJson: string } {
  const at = text.indexOf('\n');
  return { headJson: text.slice(0, at), inputJson: text.slice(at + 1) };
}
