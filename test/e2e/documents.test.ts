/** V8.MongoDb on the running host: each tenant on its own MongoDB or in its own database, changed without a restart. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { MongoPeer } from '../support/mongo-peer.ts';
import { tempDir } from '../support/temp-dir.ts';

const SCRIPT = `var at = { DbName: 'shared', TableName: 'notes' };
var added = V8.MongoDb.AddFormData({ ...at, _FormData: { From: V8.OsClient } });
if (added.Code !== 1) return added;
var list = V8.MongoDb.GetTableData({ ...at, _Where: [['From', '<>', '']] });
return { Code: 1, Data: list.Data.map((note) => note.From), DataAppend: V8.OsClientModel };
`;

async function openPeer(t: TestContext): Promise<MongoPeer> {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  return peer;
}

async function note(host: HostProcess, tenant: string) {
  const { body } = await host.api('POST', `tenants/${tenant}/engines/note/run`, {});
  return body;
}

/** What a child's row of the registry says its MongoDB is. */
function connect(host: HostProcess, tenant: string, url: string | null): void {
  host.sql('demo', 'update sys_osclients set DbMongoConnection = ? where OsClient = ?', url, tenant);
}

test('tenants keep the same names apart, and a changed connection counts without a restart', async (t) => {
  const [main, own] = [await openPeer(t), await openPeer(t)];
  const host = await HostProcess.create(tempDir(t), { mongoUrl: main.url, lang: 'en', reconcileSeconds: 1 });
  t.after(() => host.kill());
  await host.start();
  assert.equal((await host.api('POST', 'tenants', { tenant: 'acme' })).status, 201);
  for (const tenant of ['demo', 'acme']) {
    const files = [{ path: 'note.js', text: SCRIPT }];
    assert.equal((await host.api('PUT', `tenants/${tenant}/engines`, { files })).body.Code, 1);
  }
  assert.deepEqual((await note(host, 'demo')).Data, ['demo']);
  assert.deepEqual((await note(host, 'acme')).Data, ['acme'], 'in its own database');
  assert.equal(main.documents('shared', 'notes').length, 1);

  connect(host, 'acme', own.url);
  await eventually(async () => {
    await note(host, 'acme');
    assert.ok(own.documents('shared', 'notes').length > 0);
  });
  connect(host, 'acme', main.url);
  await eventually(async () => assert.equal((await note(host, 'acme')).ReasonCode, 'DOCUMENTS_ACCOUNT_SHARED'));
  assert.deepEqual((await note(host, 'demo')).Data, ['demo', 'demo'], 'the main tenant goes on');

  connect(host, 'acme', own.urlFor('canary_user', 'canary_pass'));
  await eventually(async () => assert.equal((await note(host, 'acme')).ReasonCode, 'DOCUMENTS_UNAVAILABLE'));
  assert.doesNotMatch(JSON.stringify(await note(host, 'acme')), /canary/);
  connect(host, 'acme', null);
  let back: { Data: string[]; DataAppend: object } | undefined;
  await eventually(async () => {
    back = await note(host, 'acme');
    assert.equal(back?.Data?.[0], 'acme');
  });
  assert.doesNotMatch(JSON.stringify(back?.DataAppend), /mongo/i);

  for (const lane of host.lanes()) {
    assert.doesNotMatch(readFileSync(`/proc/${lane}/environ`, 'latin1'), /mongo|canary/i);
  }
  assert.equal(await host.stop(), 0);
  assert.match(host.output, /documents\.failed/);
  assert.doesNotMatch(host.output, /canary/);
});
