import type { Note, TestName } from '../compatibility/member-row.ts';

/** A fault of the original platform, or of systems like it, and what became of it here. */
export interface FaultRow {
  /**
   * `A`: its own documents admit it; `B`: found in its published source; `C`: it had the fault once; `R`, `E`: reported
   * in public about such systems, by the numbers that the tests use. Each has its number in the order of its list.
   */
  readonly id: string;
  /** The fault in one line. English and 中文. */
  readonly fault: Note;
  /** What this host does. English and 中文. */
  readonly here: Note;
  /** Tests that show it: file and whole title, `…` where the title has a value. */
  readonly shown: readonly TestName[];
}
