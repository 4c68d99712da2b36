/** Kinds of parts that long work is counted in. */
export type ProgressStep =
  | 'compare'
  | 'check'
  | 'store'
  | 'copy'
  | 'verify'
  | 'restore'
  | 'migrate'
  | 'open'
  | 'replay'
  | 'purge';

/** How far one step of long work is. */
export interface Progress {
  readonly step: ProgressStep;
  /** Parts that are done, of `total`. */
  readonly done: number;
  readonly total: number;
  /** What was done last: a file, a tenant, an engine. */
  readonly subject?: string;
}

/** Told after each part. It must not throw. */
export type NoteProgress = (progress: Progress) => void;

/** For work that nobody watches. */
export const NOT_WATCHED: NoteProgress = () => {};

/** Whole percents; 100 only when every part is done. */
export function percentDone({ done, total }: Pick<Progress, 'done' | 'total'>): number {
  return total <= 0 ? 100 : Math.floor((done * 100) / total);
}
