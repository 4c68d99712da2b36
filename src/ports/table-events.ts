/** Events of tables: code of the tenant in `diy_table` that runs around a write or over the rows of a read. */
import type { DosResult } from '../core/dos-result.ts';
import type { JsonObject } from '../core/json.ts';
import type { TableEventInput } from '../protocol/messages.ts';
import type { HostCallAnswer } from './engine-runner.ts';

/** The events by the columns of `diy_table` that hold their code (v8-surface.md 2.8). */
export type TableEventName = 'SubmitBeforeServerV8' | 'SubmitAfterServerV8' | 'ServerDataV8';

/** One event to run. */
export interface TableEventCall {
  readonly name: TableEventName;
  readonly table: string;
  /** Plain source. */
  readonly source: string;
  /** The parameters of the FormEngine call: the event's `V8.Param`. */
  readonly param: JsonObject;
  readonly input: TableEventInput;
}

/** How an event ended. A refusal carries what the caller of FormEngine is told. */
export type TableEventEnd =
  | {
      readonly ok: true;
      /** `V8.Form` as the event left it; empty where it left no object. */
      readonly form: JsonObject;
      /** The rows as a row filter left them. */
      readonly rows: readonly JsonObject[];
      readonly notSaveField: readonly string[];
    }
  | { readonly ok: false; readonly result: DosResult };

/** What goes on after an event: an answer, or the next event. */
export type AfterTableEvent = (end: TableEventEnd) => Promise<HostCallAnswer | DosResult>;
