/**
 * What the MongoDB peer of the tests stores, and how it reads a filter: by the server's documentation, over BSON values,
 * and on purpose with nothing of the host's own rules.
 */
import { Binary, type Document, ObjectId } from 'mongodb';

/** The order of kinds in a comparison of a server; values of two kinds are never less or greater in a filter. */
function kindOf(value: unknown): number {
  if (value === undefined || value === null) return 1;
  if (typeof value === 'number' || typeof value === 'bigint') return 2;
  if (typeof value === 'string') return 3;
  if (Array.isArray(value)) return 5;
  if (value instanceof Binary) return 6;
  if (value instanceof ObjectId) return 7;
  if (typeof value === 'boolean') return 8;
  if (value instanceof Date) return 9;
  return 4;
}

/** As a sort compares. */
export function compareValues(one: unknown, other: unknown): number {
  const kinds = kindOf(one) - kindOf(other);
  if (kinds !== 0) return kinds;
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  if (one instanceof ObjectId && other instanceof ObjectId) return Buffer.compare(one.id, other.id);
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other));
  if (typeof one === 'object' && one !== null) return JSON.stringify(one) === JSON.stringify(other) ? 0 : 1;
  return Number(one ?? 0) - Number(other ?? 0);
}

/** Everything a path reaches: through lists, each element; a list at the end is itself and its elements. */
function reach(value: unknown, path: readonly string[]): unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return Array.isArray(value) ? [value, ...value] : [value];
  if (Array.isArray(value)) {
    const within = value.filter((each) => !Array.isArray(each)).flatMap((each) => reach(each, path));
    return /^\d+$/.test(name) && Number(name) < value.length
      ? [...within, ...reach(value[Number(name)], rest)]
      : within;
  }
  if (typeof value !== 'object' || value === null || !(name in value)) return [];
  return reach((value as Document)[name], rest);
}

const ORDER: Readonly<Record<string, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

export function fitsFilter(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([key, test]) => {
    if (key === '$and') return (test as Document[]).every((each) => fitsFilter(document, each));
    if (key === '$or') return (test as Document[]).some((each) => fitsFilter(document, each));
    if (key.startsWith('$')) throw new Error(`the peer does not know ${key}`);
    return fitsTest(reach(document, key.split('.')), test as Document);
  });
}

function fitsTest(found: readonly unknown[], test: Document): boolean {
  return Object.entries(test).every(([operator, operand]) => {
    if (operator === '$in') return isIn(found, operand as unknown[]);
    if (operator === '$nin') return !isIn(found, operand as unknown[]);
    if (operator === '$not') return !fitsTest(found, operand as Document);
    if (operator === '$options') return true;
    if (operator === '$regex') {
      const pattern = new RegExp(String(operand), `${String(test.$options ?? '')}u`);
      return found.some((value) => typeof value === 'string' && pattern.test(value));
    }
    const holds = ORDER[operator];
    if (holds === undefined) throw new Error(`the peer does not know ${operator}`);
    return found.some((value) => kindOf(value) === kindOf(operand) && holds(compareValues(value, operand)));
  });
}

function isIn(found: readonly unknown[], list: readonly unknown[]): boolean {
  const values = found.length === 0 ? [null] : found;
  return values.some((value) => list.some((each) => compareValues(value, each) === 0));
}

export function sorted(documents: readonly Document[], sort: Document): Document[] {
  return [...documents].sort((one, other) => {
    for (const [field, direction] of Object.entries(sort)) {
      const order = compareValues(one[field], other[field]);
      if (order !== 0) return order * Number(direction);
    }
    return 0;
  });
}
