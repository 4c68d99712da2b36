import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ProtocolBreach } from '../../../src/adapters/process/protocol-breach.ts';
import { MAX_PARALLEL_CALLS, RunConversation } from '../../../src/adapters/process/run-conversation.ts';
import type { RunOutcome } from '../../../src/core/run-outcome.ts';
import { writeDoneText } from '../../../src/protocol/done-text.ts';
import type { Frame } from '../../../src/protocol/frames.ts';
import { HOST_FRAME, LANE_FRAME, type LaneDone } from '../../../src/protocol/messages.ts';
import { RecordingSink, type RunOptions, reply, runStart } from '../../support/lanes.ts';

/** A run that a test leaves open has timers, and they keep this process for as long as they last. */
const begun: RunConversation[] = [];
afterEach(() => {
  for (const conversation of begun.splice(0)) conversation.end({ kind: 'nothing' });
});

/** A lane played by the test: it hears what the host sends and says what the test wants. */
function converse(options: RunOptions = {}) {
  const sent: Frame[] = [];
  let lastId = 0;
  const peer = {
    send: (type: number, runId: number, text: string) => sent.push({ type, runId, text }),
    nextRunId: () => ++lastId,
  };
  const sink = new RecordingSink(options.call);
  const conversation = new RunConversation(peer, runStart('', options), sink);
  begun.push(conversation);
  const say = (type: number, text: string, runId = 1) => conversation.accept({ type, runId, text });
  return { sent, sink, conversation, say };
}

function done(outcome: LaneDone['outcome'] | { kind: string }, warnings: string[] = []): string {
  return writeDoneText({ outcome: outcome as LaneDone['outcome'], warnings });
}

const CALL = 'MQ.SendMsg\n[]';

test('a call is answered and the run ends with what the lane says', async () => {
  const { sent, sink, conversation, say } = converse();
  assert.equal(say(LANE_FRAME.call, 'FormEngine.GetFormData\n["t"]'), false);
  await turn();
  assert.deepEqual(sink.calls, [{ name: 'FormEngine.GetFormData', args: '["t"]' }]);
  assert.deepEqual(sent[1], { type: HOST_FRAME.reply, runId: 1, text: '{"Code":1}' });
  assert.equal(say(LANE_FRAME.done, done({ kind: 'returned', json: '{"Code":1}' }, ['careful'])), true);
  assert.deepEqual(await conversation.outcome, { kind: 'returned', json: '{"Code":1}' });
  assert.deepEqual(sink.warnings, ['careful']);
});

const BREACHES: readonly [name: string, type: number, text: string, runId?: number][] = [
  ['a frame of another run', LANE_FRAME.log, 'log\nx', 2],
  ['a frame of a host type', HOST_FRAME.reply, ''],
  ['a second ready', LANE_FRAME.ready, ''],
  ['an unknown host call', LANE_FRAME.call, 'Process.Exit\n[]'],
  ['a host call named like an inherited member', LANE_FRAME.call, 'constructor\n[]'],
  ['a call without its name', LANE_FRAME.call, '[]'],
  ['a log line of unknown level', LANE_FRAME.log, 'fatal\nx'],
  ['an end that is not JSON', LANE_FRAME.done, '{'],
  ['an end of unknown kind', LANE_FRAME.done, done({ kind: 'won' })],
  ['an end without a line feed', LANE_FRAME.done, '{"kind":"nothing"}'],
  ['warnings that are no list', LANE_FRAME.done, '{"kind":"nothing","warnings":"x"}\n'],
  ['a wait for nothing', LANE_FRAME.wait, ''],
  ['a wait with a malformed timer', LANE_FRAME.wait, '-1'],
  ['a wait with a malformed call', LANE_FRAME.wait, '0\nx ApiEngine.Run []'],
  ['an async call that has no async form', LANE_FRAME.wait, '\n1 MQ.SendMsg []'],
  ['two async calls with one id', LANE_FRAME.wait, '\n1 ApiEngine.Run []\n1 ApiEngine.Run []'],
  ['a compilation in place of a run', LANE_FRAME.done, done({ kind: 'compiled' })],
];

for (const [name, type, text, runId] of BREACHES) {
  test(`${name} is a breach`, () => {
    const { say } = converse();
    assert.throws(() => say(type, text, runId), ProtocolBreach);
  });
}

test('a second call while one is open is a breach: a late call has no way to exist', () => {
  const { say } = converse({ call: () => new Promise(() => undefined) });
  say(LANE_FRAME.call, CALL);
  assert.throws(() => say(LANE_FRAME.call, CALL), ProtocolBreach);
});

test('the host counts calls, arguments and log by itself', async () => {
  const log = converse({ limits: { logLines: 1 } });
  log.say(LANE_FRAME.log, 'log\none');
  assert.throws(() => log.say(LANE_FRAME.log, 'log\ntwo'), ProtocolBreach);
  const args = converse({ limits: { argumentBytes: 4 } });
  assert.throws(() => args.say(LANE_FRAME.call, 'MQ.SendMsg\n["中文"]'), ProtocolBreach);
  const calls = converse({ limits: { hostCalls: 1 } });
  calls.say(LANE_FRAME.call, CALL);
  await turn();
  calls.say(LANE_FRAME.call, CALL);
  assert.equal(calls.sent.at(-1)?.type, HOST_FRAME.abort);
  calls.say(LANE_FRAME.done, done({ kind: 'returned', json: '{"Code":1}' }));
  assert.deepEqual(await calls.conversation.outcome, {
    kind: 'limit',
    error: { code: 'V8_HOST_CALL_LIMIT', params: { limit: 1 } },
  });
});

test('a result over its limit or with __proto__ keys is not passed on', async () => {
  const large = converse({ limits: { resultBytes: 4 } });
  large.say(LANE_FRAME.done, done({ kind: 'returned', json: '"中文"' }));
  assert.equal((await large.conversation.outcome).kind, 'limit');
  const dirty = converse();
  dirty.say(LANE_FRAME.done, done({ kind: 'returned', json: '{"Code":1,"__proto__":{"admin":true}}' }));
  assert.deepEqual(await dirty.conversation.outcome, { kind: 'returned', json: '{"Code":1}' });
});

test('a reply over its limit becomes a failed result', async () => {
  const { sent, say } = converse({ limits: { replyBytes: 10 }, call: () => reply('x'.repeat(20)) });
  say(LANE_FRAME.call, CALL);
  await turn();
  const answer = JSON.parse(sent[1]?.text ?? '') as { Code: number; ReasonCode: string };
  assert.deepEqual([answer.Code, answer.ReasonCode], [0, 'V8_RESULT_TOO_LARGE']);
});

test('a sink that rejects is answered as a failure of the host', async () => {
  const { sent, say } = converse({ call: () => Promise.reject(new Error('secret path')) });
  say(LANE_FRAME.call, CALL);
  await turn();
  assert.match(sent[1]?.text ?? '', /"ReasonCode":"INTERNAL"/);
  assert.doesNotMatch(sent[1]?.text ?? '', /secret/);
});

/** A sink whose first call starts a nested engine, and the outcomes its `finish` was given. */
function nesting(limits: RunOptions['limits'] = {}) {
  const finished: RunOutcome[] = [];
  const inner = new RecordingSink(() => new Promise(() => undefined));
  const parts = converse({
    limits,
    call: () => ({
      kind: 'nested',
      run: runStart('inner'),
      calls: inner,
      finish: async (outcome) => {
        finished.push(outcome);
        return '{"Code":7}';
      },
    }),
  });
  return { ...parts, inner, finished };
}

test('a nested engine runs before its call is answered', async () => {
  const { sent, say, inner, finished } = nesting();
  say(LANE_FRAME.call, 'ApiEngine.Run\n["inner"]');
  await turn();
  assert.deepEqual([sent[1]?.type, sent[1]?.runId], [HOST_FRAME.nested, 2]);
  say(LANE_FRAME.log, 'log\nfrom inside', 2);
  say(LANE_FRAME.done, done({ kind: 'nothing' }), 2);
  await turn();
  assert.deepEqual(inner.lines, ['log from inside']);
  assert.deepEqual(finished, [{ kind: 'nothing' }]);
  assert.deepEqual(sent[2], { type: HOST_FRAME.reply, runId: 1, text: '{"Code":7}' });
});

test('the outer run may not speak while an engine is nested in it', async () => {
  const { say } = nesting();
  say(LANE_FRAME.call, CALL);
  await turn();
  assert.throws(() => say(LANE_FRAME.log, 'log\nx', 1), ProtocolBreach);
});

test('nesting deeper than the limit is refused without starting the engine', async () => {
  const { sent, say, finished } = nesting({ nesting: 1 });
  say(LANE_FRAME.call, CALL);
  await turn();
  assert.equal(sent.at(-1)?.type, HOST_FRAME.reply);
  assert.deepEqual(finished, [{ kind: 'limit', error: { code: 'V8_NESTED_DEPTH_LIMIT', params: { limit: 1 } } }]);
});

test('when the lane dies every level ends, innermost first, and nothing more is sent', async () => {
  const { sent, say, conversation, finished } = nesting();
  say(LANE_FRAME.call, CALL);
  await turn();
  const crash: RunOutcome = { kind: 'crashed', error: { code: 'V8_PROCESS_CRASH', params: {} } };
  conversation.end(crash);
  conversation.end({ kind: 'nothing' });
  assert.deepEqual(await conversation.outcome, crash);
  assert.deepEqual(finished, [crash]);
  assert.equal(sent.length, 2);
});

test('an abort ends the nested engines with the root and says why', async () => {
  const { sent, say, conversation, finished } = nesting();
  say(LANE_FRAME.call, CALL);
  await turn();
  say(LANE_FRAME.call, CALL, 2);
  assert.equal(conversation.waitsForHost, true);
  conversation.abort({ code: 'V8_TIMEOUT', params: { limit: 5 } });
  assert.deepEqual(sent.at(-1), { type: HOST_FRAME.abort, runId: 1, text: '' });
  assert.equal(say(LANE_FRAME.done, done({ kind: 'nothing' }), 1), true);
  const timeout = { kind: 'limit', error: { code: 'V8_TIMEOUT', params: { limit: 5 } } };
  assert.deepEqual(await conversation.outcome, timeout);
  assert.deepEqual(finished, [timeout]);
});

test('a result nested deeper than the limit is refused, at the limit it is not', async () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const at = converse();
  at.say(LANE_FRAME.done, done({ kind: 'returned', json: deep(256) }));
  assert.equal((await at.conversation.outcome).kind, 'returned');
  const over = converse();
  over.say(LANE_FRAME.done, done({ kind: 'returned', json: deep(257) }));
  assert.deepEqual(await over.conversation.outcome, {
    kind: 'limit',
    error: { code: 'V8_RESULT_TOO_DEEP', params: { limit: 256 } },
  });
});

test('calls that may overtake each other are under way together up to a number, the others wait', async () => {
  const open: (() => void)[] = [];
  let calls = 0;
  const { sent, say } = converse({
    call: () => {
      calls += 1;
      return new Promise((resolve) => open.push(() => resolve({ kind: 'reply', json: '1' })));
    },
  });
  const lines = Array.from({ length: MAX_PARALLEL_CALLS + 2 }, (_, i) => `${i + 1} Http.Get []`);
  say(LANE_FRAME.wait, `\n${lines.join('\n')}`);
  await turn();
  assert.equal(calls, MAX_PARALLEL_CALLS);
  open.shift()?.();
  await turn();
  assert.equal(calls, MAX_PARALLEL_CALLS + 1);
  assert.equal(sent.at(-1)?.type, HOST_FRAME.step);
});

/** A run whose async call starts an engine when the test lets it, while the script goes on by a timer. */
function nestingBeside() {
  const begin = Promise.withResolvers<void>();
  const inner = new RecordingSink(async () => reply({ Code: 1 }));
  const made: string[] = [];
  const { sent, say } = converse({
    call: async (name) => {
      made.push(name);
      if (name !== 'ApiEngine.Run') return reply({ Code: 1 });
      await begin.promise;
      return { kind: 'nested', run: runStart('', {}), calls: inner, finish: async () => '{"Code":7}' };
    },
  });
  say(LANE_FRAME.wait, '0\n1 ApiEngine.Run ["inner"]');
  assert.equal(sent[1]?.type, HOST_FRAME.step, 'the timer is due');
  return { sent, say, made, begin: begin.resolve };
}

test('a call that joins the transaction is made after the engine that an earlier async call runs', async () => {
  const { sent, say, made, begin } = nestingBeside();
  say(LANE_FRAME.call, 'FormEngine.AddFormData\n["t"]');
  await turn();
  assert.deepEqual(made, ['ApiEngine.Run']);
  begin();
  await turn();
  assert.deepEqual([sent[2]?.type, sent[2]?.runId, sent.length], [HOST_FRAME.nested, 2, 3]);
  say(LANE_FRAME.call, CALL, 2);
  await turn();
  assert.deepEqual([sent[3]?.type, sent[3]?.runId, made.length], [HOST_FRAME.reply, 2, 1]);
  say(LANE_FRAME.done, done({ kind: 'nothing' }), 2);
  await turn();
  assert.deepEqual(made, ['ApiEngine.Run', 'FormEngine.AddFormData']);
  assert.deepEqual([sent[4]?.type, sent[4]?.runId, sent.length], [HOST_FRAME.reply, 1, 5]);
});

test('an engine that was ready while the script ran begins with the next call that waits for it', async () => {
  const { sent, say, begin } = nestingBeside();
  begin();
  await turn();
  assert.equal(sent.length, 2, 'the script has the lane');
  say(LANE_FRAME.call, 'FormEngine.AddFormData\n["t"]');
  assert.deepEqual([sent[2]?.type, sent[2]?.runId], [HOST_FRAME.nested, 2]);
  say(LANE_FRAME.done, done({ kind: 'nothing' }), 2);
  await turn();
  assert.deepEqual([sent[3]?.type, sent[3]?.runId], [HOST_FRAME.reply, 1]);
});

test('a reply waits while an engine nested in its run has the lane', async () => {
  const { sent, say, made, begin } = nestingBeside();
  begin();
  await turn();
  say(LANE_FRAME.call, 'Cache.Get\n["k"]');
  assert.deepEqual([sent[2]?.type, sent[2]?.runId], [HOST_FRAME.nested, 2]);
  await turn();
  assert.deepEqual(made, ['ApiEngine.Run', 'Cache.Get']);
  assert.equal(sent.length, 3, 'nothing reaches the run below');
  say(LANE_FRAME.done, done({ kind: 'nothing' }), 2);
  await turn();
  assert.deepEqual(sent[3], { type: HOST_FRAME.reply, runId: 1, text: '{"Code":1}' });
});
