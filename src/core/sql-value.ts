/** A value of a table cell as scripts see it: integers beyond 2^53-1, decimals that do not round-trip and dates are text. */
export type SqlValue = string | number | null;
