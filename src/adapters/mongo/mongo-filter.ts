/** A filter of core/document-where.ts in MongoDB's own words. core/document-match.ts decides the same over JSON. */
import type { Document } from 'mongodb';
import { ID_FIELD } from '../../core/document.ts';
import { alternatives, patternOf } from '../../core/document-match.ts';
import type { DocumentCondition, DocumentNode, DocumentOperand } from '../../core/document-where.ts';
import type { WhereOperator } from '../../core/where-operator.ts';
import { idsOf, toId } from './bson-json.ts';

export function mongoFilter(nodes: readonly DocumentNode[]): Document {
  const choices = alternatives(nodes).map((all) => every(all.map(nodeFilter)));
  return some(choices);
}

function nodeFilter(node: DocumentNode): Document {
  return 'group' in node ? mongoFilter(node.group) : conditionFilter(node);
}

function conditionFilter(condition: DocumentCondition): Document {
  const { column, operator, value } = condition;
  const ordering = ORDERINGS[operator];
  if (ordering !== undefined) return some(value.map((one) => ({ [column]: { [ordering]: operandOf(column, one) } })));
  const like = LIKES[operator];
  if (like === undefined) return { [column]: listTest(condition) };
  const [kind, negated] = like;
  const test = { $regex: patternOf(kind, String(value[0])), $options: 'i' };
  return { [column]: negated ? { $not: test } : test };
}

const ORDERINGS: Readonly<Partial<Record<WhereOperator, string>>> = { gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' };

const LIKES: Readonly<Partial<Record<WhereOperator, readonly ['like' | 'startLike' | 'endLike', boolean]>>> = {
  like: ['like', false],
  notLike: ['like', true],
  startLike: ['startLike', false],
  notStartLike: ['startLike', true],
  endLike: ['endLike', false],
  notEndLike: ['endLike', true],
};

/** Equality is a list of one: an id may be stored in two ways. */
function listTest({ column, operator, value }: DocumentCondition): Document {
  const list = column === ID_FIELD ? value.flatMap((id) => idsOf(String(id))) : value;
  return operator === 'eq' || operator === 'in' ? { $in: list } : { $nin: list };
}

function operandOf(column: string, operand: DocumentOperand): unknown {
  if (typeof operand === 'object' && operand !== null) return new Date(operand.at);
  return column === ID_FIELD ? toId(String(operand)) : operand;
}

function every(filters: readonly Document[]): Document {
  const [only, ...others] = filters;
  if (only === undefined) return {};
  return others.length === 0 ? only : { $and: [...filters] };
}

function some(filters: readonly Document[]): Document {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $or: [...filters] };
}
