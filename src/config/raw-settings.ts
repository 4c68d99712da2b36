/** Settings as they were written, before any rule: a tree with the shape of the configuration file. */
import { isJsonObject } from '../core/json.ts';
import type { Setting } from './setting-list.ts';

/** A tree of settings that is being put together. Without prototype, so that no key means anything. */
export type RawSettings = { [key: string]: unknown };

export function emptyTree(): RawSettings {
  return Object.create(null) as RawSettings;
}

/** Copies a parsed file; keys of a foreign kind stay for the schema to refuse. */
export function copyTree(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const copy = emptyTree();
  for (const [key, member] of Object.entries(value)) copy[key] = copyTree(member);
  return copy;
}

/** Sets one value; where the file has something else than an object in its way, the schema will name that. */
export function setRaw(tree: RawSettings, keys: readonly string[], value: unknown): void {
  const [key, ...rest] = keys;
  if (key === undefined) return;
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const next = tree[key] ?? emptyTree();
  if (!isJsonObject(next)) return;
  tree[key] = next;
  setRaw(next as RawSettings, rest, value);
}

/** Takes a value that is there out of the tree, with the groups that are empty then. */
export function takeRaw(tree: RawSettings, keys: readonly string[]): unknown {
  const [key = '', ...rest] = keys;
  const value = rest.length === 0 ? tree[key] : takeRaw(tree[key] as RawSettings, rest);
  const isEmpty = rest.length > 0 && Object.keys(tree[key] as RawSettings).length === 0;
  if (rest.length === 0 || isEmpty) delete tree[key];
  return value;
}

export function hasRaw(tree: RawSettings, keys: readonly string[]): boolean {
  let node: unknown = tree;
  for (const key of keys) {
    if (!isJsonObject(node) || !Object.hasOwn(node, key)) return false;
    node = node[key];
  }
  return true;
}

/** What a text of the environment means. A text that does not fit its kind is left for the schema to refuse. */
export function fromText(kind: Setting['kind'], text: string): unknown {
  switch (kind) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case 'boolean':
      return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'json':
      return parseTree(text);
    case 'text':
      return text.trim();
  }
}

/** The tree that a JSON text holds; text that is no JSON stays. */
function parseTree(text: string): unknown {
  try {
    return copyTree(JSON.parse(text));
  } catch {
    return text;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
