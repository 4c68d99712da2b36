/** Whether a document is what a filter asks for: as MongoDB decides it, over JSON. */
import { CREATE_TIME_FIELD, ID_FIELD, type StoredDocument } from './document.ts';
import type { DocumentCondition, DocumentNode, DocumentOperand } from './document-where.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import type { WhereOperator } from './where-operator.ts';

/** Decides about one document. */
export type DocumentMatcher = (document: StoredDocument) => boolean;

/** AND binds tighter than OR. */
export function documentMatcher(nodes: readonly DocumentNode[]): DocumentMatcher {
  const choices = alternatives(nodes).map((all) => all.map(nodeMatcher));
  return (document) => choices.some((all) => all.every((holds) => holds(document)));
}

/** The conjunctions of which one must hold. Without conditions that is the empty one. */
export function alternatives(nodes: readonly DocumentNode[]): readonly (readonly DocumentNode[])[] {
  const found: DocumentNode[][] = [[]];
  for (const [index, node] of nodes.entries()) {
    if (index > 0 && node.glue === 'or') found.push([node]);
    else found.at(-1)?.push(node);
  }
  return found;
}

function nodeMatcher(node: DocumentNode): DocumentMatcher {
  return 'group' in node ? documentMatcher(node.group) : conditionMatcher(node);
}

/** The negative operators hold where their positive does not: also for a field that is not there. */
function conditionMatcher({ column, operator, value }: DocumentCondition): DocumentMatcher {
  const [positive, negated] = POSITIVE[operator];
  const tests = value.map((operand) => operandTest(positive, operand));
  return (document) => {
    const found = valuesAt(document, column);
    return tests.some((test) => test(found)) !== negated;
  };
}

type Positive = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'like' | 'startLike' | 'endLike';

const POSITIVE: Readonly<Record<WhereOperator, readonly [Positive, boolean]>> = {
  eq: ['eq', false],
  in: ['eq', false],
  ne: ['eq', true],
  notIn: ['eq', true],
  gt: ['gt', false],
  ge: ['ge', false],
  lt: ['lt', false],
  le: ['le', false],
  like: ['like', false],
  notLike: ['like', true],
  startLike: ['startLike', false],
  notStartLike: ['startLike', true],
  endLike: ['endLike', false],
  notEndLike: ['endLike', true],
};

/** What a field holds: plain values, or the moment of `CreateTime`. */
interface Found {
  readonly values: readonly JsonValue[];
  readonly at?: number;
}

function operandTest(operator: Positive, operand: DocumentOperand): (found: Found) => boolean {
  if (operator === 'eq') {
    // Null stands in lists only, and is also the field that is not there.
    if (operand === null) return ({ values }) => values.length === 0 || values.includes(null);
    return ({ values }) => values.includes(operand as JsonValue);
  }
  if (operator === 'like' || operator === 'startLike' || operator === 'endLike') {
    const pattern = new RegExp(patternOf(operator, String(operand)), 'iu');
    return ({ values }) => values.some((value) => typeof value === 'string' && pattern.test(value));
  }
  if (typeof operand === 'object' && operand !== null) {
    return ({ at }) => at !== undefined && isOrdered(operator, at - operand.at);
  }
  return ({ values }) => values.some((value) => isOrdered(operator, compare(value, operand)));
}

/** A regular expression for the text, the same for JavaScript and for MongoDB. Case is ignored by a flag. */
export function patternOf(operator: 'like' | 'startLike' | 'endLike', text: string): string {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (operator === 'startLike') return `^${literal}`;
  // `$` would also match before a line's end.
  return operator === 'endLike' ? `${literal}(?![\\s\\S])` : literal;
}

function isOrdered(operator: 'gt' | 'ge' | 'lt' | 'le', order: number | undefined): boolean {
  if (order === undefined) return false;
  if (operator === 'gt') return order > 0;
  if (operator === 'ge') return order >= 0;
  return operator === 'lt' ? order < 0 : order <= 0;
}

/** Only values of one kind have an order: MongoDB compares no text with a number. */
function compare(value: JsonValue, operand: string | number | boolean | null): number | undefined {
  if (typeof value === 'string' && typeof operand === 'string') return compareText(value, operand);
  if (typeof value === 'number' && typeof operand === 'number') return value - operand;
  if (typeof value === 'boolean' && typeof operand === 'boolean') return Number(value) - Number(operand);
  return undefined;
}

/** By code points, which is the order of UTF-8 bytes: surrogates stand for what comes after all other units. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const [one, other] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (one !== other) return codeOrder(one) - codeOrder(other);
  }
  return a.length - b.length;
}

function codeOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** What a path leads to. A list stands for itself and each of its elements, also on the way. */
function valuesAt({ id, createdAt, fields }: StoredDocument, path: string): Found {
  if (path === ID_FIELD) return { values: [id] };
  if (path === CREATE_TIME_FIELD && createdAt !== undefined) return { values: [], at: createdAt };
  let level: readonly (JsonValue | undefined)[] = [fields];
  for (const name of path.split('.')) level = level.flatMap((value) => step(value, name));
  return { values: level.flatMap(withElements) };
}

function withElements(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? [value, ...(value as readonly JsonValue[])] : [value];
}

function step(value: JsonValue | undefined, name: string): readonly (JsonValue | undefined)[] {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const element = /^(0|[1-9]\d*)$/.test(name) ? items[Number(name)] : undefined;
    return [element, ...items.map((item) => own(item, name))];
  }
  return [own(value, name)];
}

function own(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
