/** Runs the sample scripts in the real sandbox, with host calls answered over tables of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { liftContext } from '../../src/core/context-lift.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { DEFAULT_RUN_LIMITS } from '../../src/core/run-limits.ts';
import type { RunOutcome } from '../../src/core/run-outcome.ts';
import type { EngineRunner, HostCallSink } from '../../src/ports/engine-runner.ts';
import type { Row } from '../../src/ports/table-store.ts';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import type { ScriptRun } from '../support/script-run.ts';
import { SqliteTables, type TestTable } from '../support/sqlite-tables.ts';

const FOLDER = new URL('../../scripts-sample/', import.meta.url);

/** Keys of all samples: their file names. */
export const SAMPLE_KEYS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.js'))
  .map((name) => name.slice(0, -'.js'.length));

export function sampleSource(key: string): string {
  return readFileSync(new URL(`${key}.js`, FOLDER), 'utf8');
}

export function tablesText(): string {
  return readFileSync(new URL('tables.json', FOLDER), 'utf8');
}

interface TableText {
  readonly Name: string;
  readonly Fields: readonly { Name: string; Type: string; Unique?: boolean }[];
  readonly Rows?: readonly Row[];
}

/** The tables of the samples with their first rows; ErpUrl as the host fills it in. */
export function sampleTables(erpUrl: string): SqliteTables {
  const tables = (JSON.parse(tablesText()) as TableText[]).map(
    (table) => [table.Name, testTable(table, erpUrl)] as const,
  );
  return new SqliteTables(Object.fromEntries(tables));
}

function testTable(table: TableText, erpUrl: string): TestTable {
  const filledIn = table.Name === 'shop_setting' ? { Value: erpUrl } : {};
  return {
    columns: Object.fromEntries(table.Fields.map(({ Name, Type }) => [Name, Type === 'int' ? 'integer' : 'text'])),
    unique: table.Fields.filter((field) => field.Unique === true).map((field) => field.Name),
    rows: (table.Rows ?? []).map((row, index) => ({ Id: `${table.Name}-${index}`, IsDeleted: 0, ...row, ...filledIn })),
  };
}

/** `V8.Param` of a message with this payload. */
export function messageParam(eventId: string, message: JsonValue): JsonValue {
  return { EventId: eventId, Message: { EventId: eventId, Id: eventId, OsClient: 'Acme', Message: message } };
}

/** Runs one sample to its end. */
export async function runSample(
  runner: EngineRunner,
  key: string,
  param: JsonValue,
  run: ScriptRun,
): Promise<RunOutcome> {
  const lifted = liftContext(param);
  const slot = await runner.acquire(run.context.tenant, {});
  try {
    return await slot.run(
      {
        tenant: run.context.tenant,
        engineKey: key,
        version: 'test',
        source: sampleSource(key),
        limits: DEFAULT_RUN_LIMITS,
        inputJson: JSON.stringify({
          Param: lifted.param,
          OsClient: run.context.tenant,
          CurrentUser: {},
          EventName: lifted.eventName,
          ...(lifted.mqtt === undefined ? {} : { MQTT: lifted.mqtt }),
          ApiEngineKey: key,
          InvokeType: 'Server',
          Limits: null,
        }),
      },
      sinkOf(run),
    );
  } finally {
    slot.release();
  }
}

function sinkOf(run: ScriptRun): HostCallSink {
  return {
    call: async (name, argsJson) => {
      const answer = await run.call(name as HostCallName, ...(JSON.parse(argsJson) as JsonValue[]));
      return { kind: 'reply', json: JSON.stringify(answer) };
    },
    log: (level, line) => run.context.console(level, line),
    warn: (text) => run.context.console('warn', text),
  };
}
