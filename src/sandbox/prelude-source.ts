import { readFileSync } from 'node:fs';
import ivm from 'isolated-vm';
import { HOST_CALL_ROWS } from '../protocol/host-call-names.ts';
import { UNSUPPORTED_FAMILIES } from '../protocol/unsupported-members.ts';

/*
 * The prelude is what stands in a context before any script: the members of `V8`, the globals, the run's own state.
 * A part is a file of prelude/ that holds one function `(kit) => …` in strict mode. It runs once per context; runs that
 * follow each other in the context share what it made. `kit` is how the parts know each other, and no script reaches it:
 *
 * - `kit.publicFunction(name, implementation, first?)`: a frozen function for scripts, without source; `first` is its
 *   implementation's first argument, before the script's;
 * - `kit.addFamilyMember('Method.NewUlid', value)`: a shared member of `V8` by its path, families may nest;
 *   `kit.addV8Family('Base64', frozenObject)`: a whole family; `kit.familyAt('DbTrans')`: one that is still open;
 * - `kit.addV8Member('Param', (input) => value)`: a member made for each run from its ScriptInput;
 * - `kit.addLazyV8Member('SysConfig', () => value)`: a member asked for at its first use in a run;
 * - `kit.defineGlobal('DateNow', value)`: a global;
 * - host calls of protocol/host-call-names.ts are members by themselves; `kit.makeHostCall(name, member)` makes one for
 *   another place, such as the end of a fluent chain;
 * - `kit.cur`: the run under way. A part keeps what belongs to a run in a property of it, named after itself, and
 *   nowhere else: no variable of a part may change after it ran;
 * - everything that scripts get is frozen, or made for the run.
 *
 * A script may replace every built-in that it can reach, and the parts' functions run after it did. So, in a function
 * that runs when scripts do:
 *
 * - no method by name on a string, array, Map or promise: primordials.js captures it (`kit.slice(text, 0, 3)`); add what
 *   is missing there;
 * - no `for…of`, no spread of arrays, no array destructuring: they ask the iterator, which a script can replace; rest
 *   parameters, index loops and `kit.apply` do not;
 * - no assignment beyond an array's end and no look-up in an object that has a prototype: a setter or a value on
 *   `Object.prototype` would answer. Objects of ours are `{ __proto__: null, … }`;
 * - reading a script's value (a property, `String(x)`, JSON) runs script code: it may throw, and may change everything;
 * - nothing thrown may be an error of ours with more in it than its text, and no huge text is built from a script's.
 */

/** The parts in the order they run. */
const PARTS = [
  'primordials.js',
  'primordials-values.js',
  'remove-globals.js',
  'definer-gate.js',
  'members.js',
  'describe-value.js',
  'utf8-encode.js',
  'utf8-decode.js',
  'bytes.js',
  'base64.js',
  'date-format.js',
  'date-add.js',
  'date-functions.js',
  'console.js',
  'v8-object.js',
  'transaction.js',
  'call-arguments.js',
  'async-calls.js',
  'host-calls.js',
  'http-response.js',
  'sql-section.js',
  'sql-endings.js',
  'dbs.js',
  'context-members.js',
  'unsupported.js',
  'decimal.js',
  'calc.js',
  'json-stringify.js',
  'action.js',
  'mqtt.js',
  'once-beside.js',
  'inbox.js',
  'clr-convert.js',
  'clr-date-time.js',
  'clr-system.js',
  'timers.js',
  'table-event.js',
  'run-end.js',
  'execute.js',
  'seal.js',
  'hidden-intrinsics.js',
  'intrinsics.js',
  'property-record.js',
  'baseline.js',
  'identity-checks.js',
  'clean-check.js',
] as const;

/** Functions that the lane calls (prelude/execute.js). */
const ENTRIES = ['install', 'begin', 'step', 'readBox', 'checkBody'] as const;

/** File name of the prelude in stacks. Frames that carry it are not the script's and are left out. */
export const PRELUDE_FILE = '<platform>';

/**
 * The prelude as one script. Its value is an object with the functions named in `entries`, made anew for every context
 * it runs in.
 * @param identityMakers what prelude/identity-checks.js writes: expression of an array.
 */
function readPreludeSource(identityMakers: string, entries: readonly string[]): string {
  const parts = PARTS.map((name) => `define(${readPart(name)});`);
  return [
    `(function () { 'use strict'; const kit = { __proto__: null, hostCalls: ${JSON.stringify(HOST_CALL_ROWS)} };`,
    `kit.unsupported = ${JSON.stringify(UNSUPPORTED_FAMILIES)};`,
    'const define = (part) => part(kit);',
    ...parts,
    `kit.identityMakers = ${identityMakers};`,
    `return { __proto__: null, ${entries.map((name) => `${name}: kit.${name}`).join(', ')} }; })()`,
  ].join('\n');
}

/** The prelude as every isolate of a lane takes it up. */
export interface Prelude {
  readonly source: string;
  /** What V8 knows of the source by having compiled it once; an isolate that is given it compiles five times faster. */
  readonly cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;
}

/** The library's types leave it out. */
interface CachedDataMade {
  readonly cachedData?: ivm.ExternalCopy<ArrayBuffer>;
}

/** Read once, when the lane starts. */
export function readPrelude(): Prelude {
  const isolate = new ivm.Isolate();
  const source = escapeBeyondAscii(readPreludeSource(writeIdentityMakers(isolate), ENTRIES));
  const options = { filename: PRELUDE_FILE, produceCachedData: true } as const;
  const { cachedData } = isolate.compileScriptSync(source, options) as ivm.Script & CachedDataMade;
  isolate.dispose();
  return { source, cachedData };
}

/** What the identity checks of every context look like, written by the prelude in a context that nobody else uses. */
function writeIdentityMakers(isolate: ivm.Isolate): string {
  const context = isolate.createContextSync();
  const script = isolate.compileScriptSync(escapeBeyondAscii(readPreludeSource('[]', ['writeIdentityMakers'])));
  const entry = script.runSync(context, { reference: true }).getSync('writeIdentityMakers', { reference: true });
  return String(entry.applySync(undefined, []));
}

/** Every isolate keeps a copy, of two bytes a character if one of them needs it. All are in texts and comments. */
function escapeBeyondAscii(source: string): string {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function readPart(name: string): string {
  const text = readFileSync(new URL(`prelude/${name}`, import.meta.url), 'utf8').trimEnd();
  return text.endsWith(';') ? text.slice(0, -1) : text;
}
