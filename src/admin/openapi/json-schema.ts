import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/**
 * The JSON Schema (2020-12, as in OpenAPI 3.1) of what a caller may write or of what an answer holds. Rules that only
 * a function knows are not in it; the route checks them all the same.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject;
  const { $schema: _dialect, $defs: _definitions, ...rest } = made;
  return withoutReferences(rest) as JsonObject;
}

/** References lead to definitions of this schema alone, which only `z.json()` makes: it stands for any JSON. */
function withoutReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (!isJsonObject(value)) return value;
  if (typeof value.$ref === 'string') return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutReferences(each ?? null)]));
}
