import { readFileSync } from 'node:fs';
import { HOST_CALL_NAMES } from '../protocol/host-call-names.ts';

/** The parts in the order they run; each is one function that takes the shared kit. */
const PARTS = [
  'primordials.js',
  'remove-globals.js',
  'describe-value.js',
  'date-format.js',
  'date-add.js',
  'date-functions.js',
  'console.js',
  'host-calls.js',
  'v8-object.js',
  'execute.js',
] as const;

/** File name of the prelude in stacks. Frames that carry it are not the script's and are left out. */
export const PRELUDE_FILE = '<platform>';

/**
 * The prelude as one script, read once when the lane starts. Its value is an object with `begin` and `checkBody`,
 * made anew for every context it runs in.
 */
export function readPreludeSource(): string {
  const parts = PARTS.map((name) => `define(${readPart(name)});`);
  return [
    `(function () { 'use strict'; const kit = { __proto__: null, callNames: ${callNamesJson()} };`,
    'const define = (part) => part(kit);',
    ...parts,
    'return { __proto__: null, begin: kit.begin, checkBody: kit.checkBody }; })()',
  ].join('\n');
}

function readPart(name: string): string {
  const text = readFileSync(new URL(`prelude/${name}`, import.meta.url), 'utf8').trimEnd();
  return text.endsWith(';') ? text.slice(0, -1) : text;
}

function callNamesJson(): string {
  return JSON.stringify(
    HOST_CALL_NAMES.map((name) => {
      const [family, member] = name.split('.');
      return { family, member };
    }),
  );
}
