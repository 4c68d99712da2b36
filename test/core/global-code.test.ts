import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCallPath } from '../../src/core/call-cycle.ts';
import { liftContext } from '../../src/core/context-lift.ts';
import type { EngineSource } from '../../src/core/engine.ts';
import { composedVersion, composeSource, relocateOutcome } from '../../src/core/global-code.ts';
import type { RunOutcome } from '../../src/core/run-outcome.ts';

const PLAIN = { key: 'a', version: 'v1', source: 'return 1' } as EngineSource;

function withGlobal(source: string): EngineSource {
  return { ...PLAIN, globalCode: { source, version: 'g1' } };
}

test('an engine without global code is what it was', () => {
  assert.equal(composeSource(PLAIN), 'return 1');
  assert.equal(composedVersion(PLAIN), 'v1');
  const outcome: RunOutcome = { kind: 'nothing' };
  assert.equal(relocateOutcome(outcome, PLAIN), outcome);
});

test('the engine follows the code whatever that ends with, and the version names both', () => {
  for (const code of ['var a = 1', 'a() // end', 'a();\n', 'var f = function () {}\r\n', '/* x */']) {
    const composed = composeSource(withGlobal(code));
    assert.doesNotThrow(() => new Function(composed), code);
    assert.equal(new Function(`var a = () => 0;${composed}`)(), 1, code);
  }
  assert.equal(composedVersion(withGlobal('')), 'v1.g1');
});

const LINES: readonly [code: string, composedLine: number, file: string, line: number][] = [
  ['one', 1, 'GlobalServerV8Code.js', 1],
  ['one', 3, 'a.js', 1],
  ['one\ntwo', 2, 'GlobalServerV8Code.js', 2],
  ['one\ntwo', 4, 'a.js', 1],
  ['one\r\ntwo\r\n', 7, 'a.js', 3],
  ['one\u2028two', 5, 'a.js', 2],
  ['one\r', 4, 'a.js', 2],
];

for (const [code, composedLine, file, line] of LINES) {
  test(`line ${composedLine} after ${JSON.stringify(code)} is ${file}:${line}`, () => {
    const at = { file: 'a.js', line: composedLine, column: 7 };
    const syntax = relocateOutcome({ kind: 'syntax', at, message: 'm' }, withGlobal(code));
    assert.deepEqual(syntax.kind === 'syntax' && syntax.at, { file, line, column: 7 });
    const error = {
      name: 'Error',
      message: 'm',
      stack: [`at f (a.js:${composedLine}:7)`, `at a.js:${composedLine}:7`],
      at,
    };
    const threw = relocateOutcome({ kind: 'threw', error }, withGlobal(code));
    assert.deepEqual(threw.kind === 'threw' && threw.error, {
      name: 'Error',
      message: file === 'a.js' ? 'm' : 'm (GlobalServerV8Code.js)',
      stack: [`at f (${file}:${line}:7)`, `at ${file}:${line}:7`],
      at: { file, line, column: 7 },
    });
  });
}

const PATHS: readonly [path: string[], text: string][] = [
  [['a', 'a', 'a'], 'a → a → …'],
  [['x', 'a', 'b', 'a', 'b'], 'a → b → a → …'],
  [['a', 'b', 'c'], 'a → b → c'],
  [['1', '2', '3', '4', '5', '6', '7'], '2 → 3 → 4 → 5 → 6 → 7'],
  [['a'], 'a'],
];

for (const [path, text] of PATHS) {
  test(`${path.join(' ')} is told as ${text}`, () => {
    assert.equal(describeCallPath(path), text);
  });
}

test('EventName and MQTT are moved out of the parameters, when they are what they are called', () => {
  const mqtt = { Topic: 't' };
  assert.deepEqual(liftContext({ a: 1, EventName: 'MessageReceived', MQTT: mqtt }), {
    param: { a: 1 },
    eventName: 'MessageReceived',
    mqtt,
  });
  for (const param of [{ a: 1 }, { EventName: 5, MQTT: 'x' }, null, 'text', [1]]) {
    assert.deepEqual(liftContext(param), { param, eventName: '', mqtt: undefined });
  }
  assert.deepEqual(liftContext({ EventName: 'e', MQTT: 1 }), { param: { MQTT: 1 }, eventName: 'e', mqtt: undefined });
});
