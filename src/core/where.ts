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

/** One condition of a `_Where`, glued to the previous one by `glue` (the first one's is ignored). */
export interface Condition {
  readonly glue: 'and' | 'or';
  readonly column: string;
  readonly operator: WhereOperator;
  /** A list for `in` and `notIn`, a single value otherwise. */
  readonly value: string | number | null | readonly (string | number | null)[];
}
