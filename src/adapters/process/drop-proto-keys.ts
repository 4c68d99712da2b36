import { ProtocolBreach } from './protocol-breach.ts';

/** The key as it stands in JSON, plain or with any of its characters escaped. */
const SUSPICIOUS = /__proto__|\\u00/i;

/**
 * Removes own keys named `__proto__`, which would change a prototype wherever the value is merged into another.
 * @param json text that a lane wrote. @throws ProtocolBreach when it is no JSON, for the lane writes nothing else.
 */
export function dropProtoKeys(json: string): string {
  if (!SUSPICIOUS.test(json)) return json;
  const value = parse(json);
  return removeKeys(value) ? JSON.stringify(value) : json;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ProtocolBreach('a value is not JSON');
  }
}

/** Walks with a list of its own: a deep value must not overflow the host's stack. @returns true when one was there. */
function removeKeys(root: unknown): boolean {
  const open: unknown[] = [root];
  let removed = false;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) {
      removed = true;
      Reflect.deleteProperty(value, '__proto__');
    }
    for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return removed;
}
