/** Built-ins of the host that pollution aims at. */
const WATCHED: readonly (readonly [name: string, object: object])[] = [
  ['Object', Object],
  ['Object.prototype', Object.prototype],
  ['Function.prototype', Function.prototype],
  ['Array.prototype', Array.prototype],
  ['String.prototype', String.prototype],
  ['Number.prototype', Number.prototype],
  ['Error.prototype', Error.prototype],
  ['Promise.prototype', Promise.prototype],
  ['Map.prototype', Map.prototype],
  ['JSON', JSON],
  ['Reflect', Reflect],
  ['Buffer.prototype', Buffer.prototype],
];

/** Own keys of the host's built-ins with the identity of what stands there. */
export type HostPrototypes = ReadonlyMap<string, ReadonlyMap<PropertyKey, unknown>>;

export function readHostPrototypes(): HostPrototypes {
  return new Map(WATCHED.map(([name, object]) => [name, readKeys(object)]));
}

/** Names the first difference; undefined when there is none. */
export function findPollution(before: HostPrototypes): string | undefined {
  for (const [name, now] of readHostPrototypes()) {
    const then = before.get(name);
    const keys = new Set([...now.keys(), ...(then?.keys() ?? [])]);
    for (const key of keys) if (!Object.is(now.get(key), then?.get(key))) return `${name}.${String(key)}`;
  }
  return undefined;
}

function readKeys(object: object): Map<PropertyKey, unknown> {
  const keys = new Map<PropertyKey, unknown>();
  for (const key of Reflect.ownKeys(object)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
    keys.set(key, descriptor?.get ?? descriptor?.value);
  }
  keys.set('[[Prototype]]', Reflect.getPrototypeOf(object));
  return keys;
}
