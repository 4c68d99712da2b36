/** A JSON value. Everything that crosses the script boundary has this shape. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; keys may be absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
