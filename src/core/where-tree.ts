import type { WhereOperator } from './where-operator.ts';
import type { Glue } from './where-parts.ts';
import type { WhereValue } from './where-value.ts';

/** One comparison, glued to the node before it by `glue` (the first one's is ignored). AND binds tighter than OR. */
export interface Condition {
  readonly glue: Glue;
  readonly column: string;
  readonly operator: WhereOperator;
  /** A list for `in` and `notIn`, a single value otherwise. */
  readonly value: WhereValue;
}

/** Nodes in brackets; never empty. */
export interface GroupOf<C> {
  readonly glue: Glue;
  readonly group: readonly NodeOf<C>[];
}

/** A condition, or several in brackets. */
export type NodeOf<C> = C | GroupOf<C>;

export type ConditionGroup = GroupOf<Condition>;

export type WhereNode = NodeOf<Condition>;
