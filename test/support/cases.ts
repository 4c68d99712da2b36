import { readFileSync } from 'node:fs';

/** Reads a test vector file of test/fixtures/cases, such as `queue-names.json`. */
export function readCases<Case>(file: string): readonly Case[] {
  const text = readFileSync(new URL(`../fixtures/cases/${file}`, import.meta.url), 'utf8');
  const cases = JSON.parse(text) as readonly Case[];
  if (cases.length === 0) throw new Error(`${file} holds no cases`);
  return cases;
}
