import * as z from 'zod';
import { SETTING_DOCS, type SettingDoc } from './setting-doc.ts';
import { SETTINGS_SCHEMA } from './settings-schema.ts';

/** One setting as the environment, the documentation and messages need it. */
export interface Setting {
  /** Keys from the root of the file, such as `['http', 'port']`. */
  readonly keys: readonly string[];
  /** The keys joined by dots: its name in messages. */
  readonly path: string;
  /** `V8HOST_` and the path in upper snake case. */
  readonly variable: string;
  /** What its text in the environment is turned into. */
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'json';
  readonly doc: SettingDoc;
  /** Undefined where it is worked out at start or there is none. */
  readonly preset: unknown;
  /** Allowed values, such as `1 … 600` or `zh, en`; empty where the description says it. */
  readonly range: string;
}

/** All settings in the order of the schema. */
export const SETTING_LIST: readonly Setting[] = Object.freeze([...settingsOf(SETTINGS_SCHEMA, [])]);

/** Names of the environment: the path in upper snake case, `dataDir` -> `V8HOST_DATA_DIR`. */
export function variableOf(keys: readonly string[]): string {
  return `V8HOST_${keys.map((key) => key.replace(/[A-Z]/g, '_$&').toUpperCase()).join('_')}`;
}

function* settingsOf(schema: z.ZodType, keys: readonly string[]): Generator<Setting> {
  const doc = SETTING_DOCS.get(schema);
  if (doc !== undefined) {
    yield describe(schema, keys, doc);
    return;
  }
  const group = unwrap(schema).inner;
  if (!(group instanceof z.ZodObject)) throw new Error(`setting ${keys.join('.')} has no documentation`);
  for (const [key, member] of Object.entries(group.shape as Record<string, z.ZodType>)) {
    yield* settingsOf(member, [...keys, key]);
  }
}

function describe(schema: z.ZodType, keys: readonly string[], doc: SettingDoc): Setting {
  const { inner, preset } = unwrap(schema);
  return {
    keys,
    path: keys.join('.'),
    variable: variableOf(keys),
    kind: kindOf(inner),
    doc,
    preset,
    range: rangeOf(inner),
  };
}

/** The schema under its defaults, options and transforms. */
function unwrap(schema: z.ZodType): { inner: z.ZodType; preset: unknown } {
  let inner = schema;
  let preset: unknown;
  for (;;) {
    if (inner instanceof z.ZodDefault) {
      preset = inner.def.defaultValue;
      inner = inner.def.innerType as z.ZodType;
    } else if (inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
      inner = inner.def.innerType as z.ZodType;
    } else if (inner instanceof z.ZodPipe) {
      inner = inner.def.in as z.ZodType;
    } else return { inner, preset };
  }
}

function kindOf(schema: z.ZodType): Setting['kind'] {
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  if (schema instanceof z.ZodRecord) return 'json';
  return 'text';
}

function rangeOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodNumber) return `${schema.minValue} … ${schema.maxValue}`;
  if (schema instanceof z.ZodEnum) return schema.options.join(', ');
  if (schema instanceof z.ZodBoolean) return 'true, false';
  return '';
}
