/** What every store promises about the sources that engines have had (ports/engine-versions.ts). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ChangeOrigin } from '../../src/core/change-origin.ts';
import type { PushRequest } from '../../src/ports/push.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const ORIGIN: ChangeOrigin = { by: { kind: 'user', id: 'u1', name: '安娜', level: 1 }, address: '192.0.2.1' };
const DAY_MS = 86_400_000;

const versionOf = (source: string): string => createHash('sha256').update(source).digest('hex').slice(0, 12);
const engineOf = (source: string, key = 'stock') => ({ key, name: key, source, version: versionOf(source) });
const pushOf = (source: string, change: Partial<PushRequest> = {}): PushRequest => ({
  engines: [engineOf(source)],
  bindings: [],
  prune: false,
  dryRun: false,
  origin: ORIGIN,
  ...change,
});
const code = (wanted: string) => (error: unknown) => (error as { code?: string }).code === wanted;

async function shown(store: TenantStore, key = 'stock') {
  const versions = await store.versions.list(key, { limit: 100 });
  return versions.map(({ no, origin, author, version }) => [no, origin, author, version]);
}

export function engineVersionsContract(name: string, open: OpenTenantStore): void {
  describe(`versions of engines: ${name}`, () => {
    it('are made by every save that changes a source, and stay as they were', async (t) => {
      const place = await open(t);
      const { store } = place;
      await store.push(pushOf('return 1;'));
      await store.push(pushOf('return 1;'));
      await store.push(pushOf('return "价 2";', { versionOrigin: 'save' }));
      await store.push(pushOf('return 1;', { versionOrigin: 'rollback', restoredFrom: 1 }));
      await store.push(pushOf('return 3;', { dryRun: true }));
      assert.deepEqual(await shown(store, 'STOCK'), [
        [3, 'rollback', '安娜', versionOf('return 1;')],
        [2, 'save', '安娜', versionOf('return "价 2";')],
        [1, 'push', '安娜', versionOf('return 1;')],
      ]);
      const again = await place.reopen();
      const second = await again.versions.find('Stock', 2);
      assert.deepEqual([second?.source, second?.key, second?.restoredFrom], ['return "价 2";', 'stock', undefined]);
      assert.equal((await again.versions.find('stock', 3))?.restoredFrom, 1);
      assert.equal(await again.versions.find('stock', 4), undefined);
      const [older, ...rest] = await again.versions.list('stock', { before: 3, limit: 1 });
      assert.deepEqual([older?.no, rest], [2, []]);
    });

    it('keep what was changed by hand, which nobody saved here', async (t) => {
      const { store, outside } = await open(t);
      await store.push(pushOf('return 1;'));
      await outside(`update sys_apiengine set ApiV8Code = 'return "by hand";'`);
      await store.push(pushOf('return 2;'));
      assert.deepEqual(await shown(store), [
        [3, 'push', '安娜', versionOf('return 2;')],
        [2, 'found', '', versionOf('return "by hand";')],
        [1, 'push', '安娜', versionOf('return 1;')],
      ]);
    });

    it('are not lost by two saves at once, and a save over an unseen change is refused', async (t) => {
      const { store } = await open(t);
      const first = 'return 0;';
      await store.push(pushOf(first, { base: null }));
      await assert.rejects(store.push(pushOf('return 9;', { base: null })), code('ENGINE_CHANGED'));
      const sources = Array.from({ length: 3 }, (_, at) => `return ${at + 1};`);
      const base = versionOf(first);
      const ends = await Promise.allSettled(sources.map((source) => store.push(pushOf(source, { base }))));
      const refused = ends.filter((end) => end.status === 'rejected');
      assert.ok(
        refused.every(({ reason }) => code('ENGINE_CHANGED')(reason)),
        JSON.stringify(refused),
      );
      assert.deepEqual([refused.length, (await shown(store)).length], [2, 2]);
      await Promise.all(sources.map((source) => store.push(pushOf(`// any\n${source}`))));
      const numbers = (await shown(store)).map(([no]) => no);
      assert.deepEqual(numbers, [5, 4, 3, 2, 1]);
    });

    it('are written down with who changed what, never with the source', async (t) => {
      const { store } = await open(t);
      await store.push(pushOf('return "secret-1";'));
      await store.push(pushOf('return "secret-2";', { versionOrigin: 'save' }));
      const [changed, added] = await store.identity.audit.list({ target: 'stock', limit: 10 });
      assert.deepEqual([added?.action, added?.before, changed?.action], ['engine.added', null, 'engine.changed']);
      assert.deepEqual(changed?.before, { name: 'stock', version: versionOf('return "secret-1";') });
      const after = { name: 'stock', version: versionOf('return "secret-2";'), no: 2, how: 'save' };
      assert.deepEqual([changed?.after, changed?.actorName, changed?.address], [after, '安娜', '192.0.2.1']);
      assert.doesNotMatch(JSON.stringify([changed, added]), /secret-/);
    });

    it('grow old, but the newest of an engine stay', async (t) => {
      const { store } = await open(t);
      for (let at = 0; at < 23; at++) await store.push(pushOf(`return ${at};`));
      await store.push(pushOf('return 1;', { engines: [engineOf('return 1;', 'other')] }));
      const retention = { deadLettersMs: DAY_MS, inboxMs: DAY_MS, attemptsMs: DAY_MS, logsMs: DAY_MS, auditMs: DAY_MS };
      assert.equal(await store.purge({ ...retention, versionsMs: DAY_MS }), 0);
      assert.equal(await store.purge({ ...retention, versionsMs: -DAY_MS }), 3);
      assert.deepEqual((await shown(store)).map(([no]) => no).at(-1), 4);
      assert.equal((await shown(store, 'other')).length, 1);
    });

    it('an engine is switched off and on, and one that is not there is refused', async (t) => {
      const { store } = await open(t);
      await store.push(pushOf('return 1;'));
      const entry = { ...ORIGIN, actorKind: 'user', actorId: '', actorName: 'a', action: 'engine.disabled' };
      const audit = { ...entry, target: 'stock', before: null, after: null };
      await store.engines.setEnabled('STOCK', false, audit);
      assert.equal((await store.engines.find('stock'))?.enabled, false);
      assert.equal((await store.identity.audit.list({ action: 'engine.disabled', limit: 1 })).length, 1);
      await store.push(pushOf('return 2;'));
      assert.equal((await store.engines.find('stock'))?.enabled, false, 'a push leaves it off');
      await store.engines.setEnabled('stock', true, audit);
      assert.equal((await store.engines.find('stock'))?.enabled, true);
      await assert.rejects(store.engines.setEnabled('nobody', true, audit), code('ENGINE_MISSING'));
    });

    it('logins that expired and old entries of the log of changes are removed', async (t) => {
      const { store } = await open(t);
      const { sessions, audit } = store.identity;
      const login = { userId: '1'.padStart(26, '0'), createdAt: 1, csrf: 'c' };
      await sessions.add({ ...login, id: 'old', expiresAt: 2 });
      await sessions.add({ ...login, id: 'good', expiresAt: 4_000_000_000_000 });
      await store.push(pushOf('return 1;'));
      const retention = { deadLettersMs: DAY_MS, inboxMs: DAY_MS, attemptsMs: DAY_MS, logsMs: DAY_MS };
      assert.equal(await store.purge({ ...retention, versionsMs: DAY_MS, auditMs: DAY_MS }), 1);
      assert.equal((await audit.list({ limit: 10 })).length, 1);
      assert.equal(await store.purge({ ...retention, versionsMs: DAY_MS, auditMs: -DAY_MS }), 1);
      assert.deepEqual(await audit.list({ limit: 10 }), []);
    });
  });
}
