/** Brackets of `_Where`: a flat list with opening and closing marks becomes a tree (v8-surface.md 3.1). */

import type { Glue } from './where-parts.ts';
import { MAX_GROUP_DEPTH, WHERE_RULES, type WhereRule } from './where-rule.ts';
import type { Condition, GroupOf, NodeOf } from './where-tree.ts';

/** What brackets can stand around: the conditions of tables, and those of documents. */
export interface Glued {
  readonly glue: Glue;
  readonly column: string;
  readonly operator: string;
  readonly value: unknown;
}

/** A condition with its brackets, as written. */
export interface BracketedCondition<C extends Glued = Condition> {
  readonly condition: C;
  readonly opens: number;
  readonly closes: number;
}

/** The tree, or the condition (from 0) whose bracket is wrong. */
export type Grouping<C extends Glued = Condition> =
  | { readonly ok: true; readonly nodes: readonly NodeOf<C>[] }
  | { readonly ok: false; readonly index: number; readonly rule: WhereRule };

/**
 * The platform takes several brackets on one side of a condition for one. So they do here, unless what is written then
 * means something else: where only the written count closes every bracket it is taken, and where both readings are
 * whole and differ the list is refused, because one of them would touch rows that nobody meant.
 */
export function groupConditions<C extends Glued>(list: readonly BracketedCondition<C>[]): Grouping<C> {
  const asOne = build(list, (brackets) => Math.min(brackets, 1));
  const several = list.findIndex(({ opens, closes }) => opens > 1 || closes > 1);
  if (several < 0) return asOne;
  const asWritten = build(list, (brackets) => brackets);
  if (!asOne.ok) return asWritten.ok ? asWritten : asOne;
  if (!asWritten.ok || shapeOf(asOne.nodes) === shapeOf(asWritten.nodes)) return asOne;
  return { ok: false, index: several, rule: WHERE_RULES.severalBrackets };
}

function build<C extends Glued>(
  list: readonly BracketedCondition<C>[],
  count: (brackets: number) => number,
): Grouping<C> {
  const root: NodeOf<C>[] = [];
  /** Groups that are open, with the condition that opened each. */
  const open: { nodes: NodeOf<C>[]; index: number }[] = [];
  for (const [index, { condition, opens, closes }] of list.entries()) {
    let glue = condition.glue;
    for (let bracket = 0; bracket < count(opens); bracket += 1) {
      if (open.length >= MAX_GROUP_DEPTH) return { ok: false, index, rule: WHERE_RULES.tooDeep };
      const nodes: NodeOf<C>[] = [];
      (open.at(-1)?.nodes ?? root).push({ glue, group: nodes });
      open.push({ nodes, index });
      glue = 'and';
    }
    (open.at(-1)?.nodes ?? root).push({ ...condition, glue });
    for (let bracket = 0; bracket < count(closes); bracket += 1) {
      if (open.pop() === undefined) return { ok: false, index, rule: WHERE_RULES.unopened };
    }
  }
  const unclosed = open.at(-1);
  return unclosed === undefined
    ? { ok: true, nodes: root }
    : { ok: false, index: unclosed.index, rule: WHERE_RULES.unclosed };
}

/** Equal texts select the same rows: brackets around a single part, or around everything, are left out. */
function shapeOf<C extends Glued>(nodes: readonly NodeOf<C>[]): string {
  const [only, ...others] = nodes;
  if (only !== undefined && others.length === 0 && isGroup(only)) return shapeOf(only.group);
  return nodes.map((node, index) => `${index === 0 ? '' : node.glue}${partShape(node)}`).join(' ');
}

function partShape<C extends Glued>(node: NodeOf<C>): string {
  if (!isGroup(node)) return JSON.stringify([node.column, node.operator, node.value]);
  const [only, ...others] = node.group;
  return only !== undefined && others.length === 0 ? partShape(only) : `(${shapeOf(node.group)})`;
}

function isGroup<C extends Glued>(node: NodeOf<C>): node is GroupOf<C> {
  return 'group' in node;
}
