/** A comparison of `_Where` (v8-surface.md 3.3), already normalised. */
export type WhereOperator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'in'
  | 'notIn'
  | 'like'
  | 'notLike'
  | 'startLike'
  | 'notStartLike'
  | 'endLike'
  | 'notEndLike';

const SPELLINGS: ReadonlyMap<string, WhereOperator> = new Map([
  ['equal', 'eq'],
  ['=', 'eq'],
  ['==', 'eq'],
  ['notequal', 'ne'],
  ['<>', 'ne'],
  ['!=', 'ne'],
  ['>', 'gt'],
  ['>=', 'ge'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['in', 'in'],
  ['notin', 'notIn'],
  ['like', 'like'],
  ['notlike', 'notLike'],
  ['startlike', 'startLike'],
  ['notstartlike', 'notStartLike'],
  ['endlike', 'endLike'],
  ['notendlike', 'notEndLike'],
]);

/** The operator of this spelling, any case. */
export function findOperator(spelling: unknown): WhereOperator | undefined {
  return typeof spelling === 'string' ? SPELLINGS.get(spelling.trim().toLowerCase()) : undefined;
}

export function comparesText(operator: WhereOperator): boolean {
  return /like$/i.test(operator);
}

export function comparesList(operator: WhereOperator): boolean {
  return operator === 'in' || operator === 'notIn';
}

/** The operators that ask for rows unlike the value: their null means IS NOT NULL. */
export function isNegative(operator: WhereOperator): boolean {
  return operator === 'ne' || operator.startsWith('not');
}
