/** Trials of an engine and of drafts through the API: everything is shown, nothing is done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';

interface Trial {
  readonly would: string;
  readonly version: string;
  readonly result: unknown;
  readonly tables: readonly { readonly table: string; readonly inserted: readonly unknown[] }[];
  readonly messages: readonly unknown[];
}

const HANDLER = `/** @queue work */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'stored' });
return { Code: 1 };`;

const DRAFT = `V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'draft' });
V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'd-1', Message: {} });
return { Code: 1, Data: V8.Param.Message };`;

test('a draft is tried with a sample and with an earlier delivery; what is stored runs on', async (t) => {
  const api = await openApi(t);
  await api.host.push({ 'work.js': HANDLER });
  await api.host.host.start();
  await api.host.send('work', 'e1', { Sku: 'P-1' });
  await eventually(async () => assert.deepEqual(await api.host.effects(), ['e1']));
  const developer = await api.login('developer');
  const trial = (body: unknown, key = 'work') =>
    api.data<Trial>('POST', `tenants/demo/engines/${key}/trial`, body, developer);

  const stored = await trial({ Message: {} });
  const { version } = await api.data<{ version: string }>('GET', 'tenants/demo/engines/work');
  assert.deepEqual([stored.would, stored.version], ['acknowledge', version]);
  const draft = await trial({ source: DRAFT, eventId: 'e1' });
  assert.notEqual(draft.version, version);
  assert.equal(draft.would, 'already-done');
  assert.match(JSON.stringify(draft.result), /P-1/);
  assert.deepEqual([draft.tables[0]?.table, draft.tables[0]?.inserted.length, draft.messages.length], ['effect', 1, 1]);
  assert.match(JSON.stringify(draft.tables), /"draft"/);
  const unsaved = await trial({ source: DRAFT, Message: { Sku: 'P-2' } }, 'not-there-yet');
  assert.equal(unsaved.would, 'acknowledge');

  assert.deepEqual(await api.host.effects(), ['e1'], 'nothing of it was done');
  assert.equal((await api.ask('GET', 'tenants/demo/engines/not-there-yet')).status, 404);
  assert.equal((await api.data<unknown[]>('GET', 'tenants/demo/engines/work/versions')).length, 1);
});

test('a draft is for people who may save it, and says where it does not compile', async (t) => {
  const api = await openApi(t);
  await api.host.push({ 'work.js': HANDLER });
  await api.host.host.start();
  const path = 'tenants/demo/engines/work/trial';
  const operator = await api.login('operator');
  assert.equal((await api.ask('POST', path, { Message: {} }, operator)).status, 200);
  const denied = await api.ask('POST', path, { Message: {}, source: DRAFT }, operator);
  assert.deepEqual([denied.status, denied.body.ReasonCode], [403, 'ROLE_DENIED']);
  const broken = await api.ask('POST', path, { Message: {}, source: 'return 1;\nreturn (;' });
  assert.deepEqual([broken.body.ReasonCode, (broken.body.DataAppend as { line: number }).line], ['SCRIPT_SYNTAX', 2]);
  assert.equal((await api.ask('POST', path, { source: DRAFT })).body.ReasonCode, 'REQUEST_INVALID');
});
