import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SCRIPT_CALL_PATHS } from '../../src/protocol/host-call-names.ts';
import { callablePaths, createV8Program, problemsOf, V8_TYPES } from './v8-program.ts';

const SAMPLES = filesOf('../../scripts-sample/', /\.js$/);
const FIXTURES = filesOf('./fixtures/', /\.(js|ts)$/);

/** Members of `V8.DbTrans`: they exist and do nothing, so no host call stands behind them. */
const TRANSACTION_MEMBERS = ['DbTrans.Close', 'DbTrans.Commit', 'DbTrans.Dispose', 'DbTrans.Rollback'];

/** Members that the sandbox answers by itself. */
const PURE_MEMBERS = [
  ...['Base64.Base64ToString', 'Base64.StringToBase64', 'Method.JsonStringify', 'Method.JsonStringifyIndented'],
  ...['Action.GetDateTimeNow', 'Action.GetTimestamp', 'Action.Sleep', 'MQTT.Publish', 'Inbox.Once', 'Dbs.Open'],
];

const program = createV8Program([...SAMPLES, ...FIXTURES]);

function filesOf(folder: string, pattern: RegExp): readonly string[] {
  const url = new URL(folder, import.meta.url);
  return readdirSync(url)
    .filter((name) => pattern.test(name))
    .map((name) => fileURLToPath(new URL(name, url)));
}

describe('runtime-types/v8.d.ts', () => {
  it('declares exactly the functions that the host-call table has', () => {
    assert.deepEqual(
      [...callablePaths(program)].sort(),
      [...SCRIPT_CALL_PATHS, ...TRANSACTION_MEMBERS, ...PURE_MEMBERS].sort(),
    );
  });

  it('is free of errors itself', () => {
    assert.deepEqual(problemsOf(program, V8_TYPES), []);
  });
});

describe('scripts checked by the declarations', () => {
  it('finds the fixtures and the samples', () => {
    assert.equal(FIXTURES.length, 2);
    assert.equal(SAMPLES.length, 8);
  });

  for (const file of [...FIXTURES, ...SAMPLES]) {
    it(`${file.slice(file.lastIndexOf('/') + 1)} has no problem, and every expected one`, () => {
      assert.deepEqual(problemsOf(program, file), []);
    });
  }
});
