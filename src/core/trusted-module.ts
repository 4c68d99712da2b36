/**
 * Handler modules that the operator registered by name: `Type` 2 rows of the main tenant (mq-mqtt.md 5.2). Where an
 * engine's key stands, a module has `module:` and its name; no engine has a colon in its key, so no script and no
 * caller from outside can name one.
 */
import { accept, type ErrorRecord, type Parsed, refuse } from './errors.ts';
import { printable } from './printable.ts';

const PREFIX = 'module:';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$/;

/** The name as `DllName` has it; `.dll` at its end is left out, as rows of the original platform have it. */
export function parseModuleName(raw: unknown): Parsed<string> {
  const text = typeof raw === 'string' ? raw.trim().replace(/\.dll$/i, '') : '';
  return NAME.test(text) ? accept(text) : refuse('MODULE_REFUSED', { module: printable(raw), rule: NAME.source });
}

export function moduleKey(name: string): string {
  return `${PREFIX}${name}`;
}

/** Name of the module behind a binding's engine key; undefined for an engine. */
export function moduleOf(engineKey: string): string | undefined {
  return engineKey.startsWith(PREFIX) ? engineKey.slice(PREFIX.length) : undefined;
}

/** Why a module does not run, as a row's refusal. */
export function moduleRefusal(module: string, rule: string): ErrorRecord {
  return { code: 'MODULE_REFUSED', params: { module, rule } };
}
