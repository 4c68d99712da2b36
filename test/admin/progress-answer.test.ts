/** Long work as its callers see it: an answer, or events that tell how far it is and then the same answer. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAdminServer } from '../../src/admin/server.ts';
import { AppError } from '../../src/core/errors.ts';
import type { NoteProgress } from '../../src/core/progress.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const TOKEN = 'token-of-the-progress-test';
const EVENTS = { accept: 'text/event-stream, application/json' };

function server(t: TestContext) {
  const services = new FakeServices();
  const log = new MemoryLog();
  const parts = { services, identity: NO_IDENTITY, token: TOKEN, lang: 'en', timezone: 'Asia/Shanghai', log } as const;
  const made = createAdminServer(parts);
  t.after(() => made.close());
  const ask = (headers: Record<string, string> = {}, token = TOKEN) =>
    made.inject({
      method: 'POST',
      url: '/api/v1/backups',
      headers: { authorization: `Bearer ${token}`, ...headers },
      payload: {},
    });
  return { services, log, ask };
}

/** `name data` of each event. */
function eventsOf(body: string): string[] {
  const blocks = body.split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => block.replace(/^event: (.*)\ndata: /, '$1 '));
}

test('a caller that takes events is told how far the work is, and gets the answer with its status as the last one', async (t) => {
  const { services, ask } = server(t);
  const backUp = services.backUp.bind(services);
  services.backUp = async (dir, ...more: unknown[]) => {
    const note = more[1] as NoteProgress;
    // What nobody has read yet is replaced by the next one.
    for (let done = 1; done <= 3; done++) note({ step: 'copy', done, total: 3 });
    return backUp(dir);
  };
  const plain = await ask();
  assert.deepEqual([plain.statusCode, plain.headers['content-type']], [201, 'application/json; charset=utf-8']);
  const told = await ask(EVENTS);
  assert.equal(told.statusCode, 200);
  assert.match(String(told.headers['content-type']), /^text\/event-stream/);
  const events = eventsOf(told.body);
  assert.deepEqual(events.slice(0, -1).at(-1), 'progress {"step":"copy","done":3,"total":3}');
  const [, last = ''] = /^answer (.*)$/.exec(events.at(-1) ?? '') ?? [];
  assert.deepEqual(JSON.parse(last), { status: 201, body: plain.json() });
});

test('work that fails after it began is the same refusal as without events, and is logged as ever', async (t) => {
  const { services, log, ask } = server(t);
  services.failure = new AppError('BACKUP_FAILED', { dir: '/x', reason: 'ENOSPC' });
  const plain = await ask();
  const told = await ask(EVENTS);
  const [, answer = ''] = /^answer (.*)$/.exec(eventsOf(told.body).at(-1) ?? '') ?? [];
  assert.deepEqual(JSON.parse(answer), { status: plain.statusCode, body: plain.json() });
  assert.equal(log.lines.filter(({ event }) => event === 'http.request_failed').length, 2);
});

test('who may not do it is refused before any stream begins', async (t) => {
  const refused = await server(t).ask(EVENTS, 'another-token');
  assert.equal(refused.statusCode, 401);
  assert.match(String(refused.headers['content-type']), /^application\/json/);
});

test('a wish for other types of text is no wish for events', async (t) => {
  const { ask } = server(t);
  for (const accept of ['*/*', 'text/*', 'text/event-streams', 'application/json']) {
    assert.equal((await ask({ accept })).statusCode, 201, accept);
  }
});
