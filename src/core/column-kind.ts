/** What values a column takes; `text` where nothing narrower is known. */
export type ColumnKind = 'integer' | 'decimal' | 'text' | 'datetime' | 'date' | 'time' | 'boolean' | 'blob';
