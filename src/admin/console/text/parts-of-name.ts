/** Part of a name with the separator behind it. */
export interface NamePart {
  readonly text: string;
  /** True when no line should end inside it. */
  readonly isWhole: boolean;
}

/** A longer part is broken where the line ends: it would push everything else aside. */
const LONGEST_WHOLE = 20;

/** Lines end between any two of these, and should. */
const IDEOGRAPH = /\p{Script=Han}/u;

/** Cuts `orders.reserved` into `orders.` and `reserved`; dots, dashes, underlines, slashes and colons separate. */
export function partsOfName(name: string): readonly NamePart[] {
  const parts = name.match(/[^._:/-]*[._:/-]+|[^._:/-]+/g) ?? [];
  return parts.map((text) => ({ text, isWhole: text.length <= LONGEST_WHOLE && !IDEOGRAPH.test(text) }));
}
