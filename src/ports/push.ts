import type { Binding } from '../core/binding.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { HeaderEntry } from '../core/header-entry.ts';
import type { NoteProgress } from '../core/progress.ts';
import type { VersionOrigin } from './engine-versions.ts';

export interface PushedEngine {
  readonly key: string;
  readonly name: string;
  readonly source: string;
  readonly version: string;
  /** What its header says about HTTP; a setting that only the header before made goes back to its default. */
  readonly entry?: HeaderEntry;
}

/** Pushes engines and bindings in one transaction (defaults.md 10.5). Each engine that changes gets a version. */
export interface PushRequest {
  readonly engines: readonly PushedEngine[];
  readonly bindings: readonly Binding[];
  /** Removes engines' bindings with Source='push' that are not in the request. */
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Who saves, for the versions and the log of changes. Absent: the host itself. */
  readonly origin?: ChangeOrigin;
  /** How the versions come about; `push` unless given. */
  readonly versionOrigin?: VersionOrigin;
  /** Of a rollback: the version it goes back to. */
  readonly restoredFrom?: number | undefined;
  /**
   * The version that each engine must have now, or null for one that must not exist yet: whoever saves over a change
   * that he has not seen is told so. Absent: whatever is there is replaced.
   */
  readonly base?: string | null | undefined;
  /** Told after each engine. */
  readonly note?: NoteProgress;
}

/** What `tables.json` asks of a table that is there already, and that the push leaves as it is. */
export interface LeftOut {
  readonly table: string;
  /** Names of fields that the table lacks. */
  readonly fields: readonly string[];
  /** Positions in its `Rows`, from 0, of rows that the table does not have. */
  readonly rows: readonly number[];
}

export interface PushReport {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  readonly pruned: readonly string[];
}
