/** What every store promises about users, sessions, keys and the log of changes (ports/identity.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEntry, NewUser } from '../../src/ports/identity.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const entry = (action: string, target = 'anna'): AuditEntry => ({
  actorKind: 'user',
  actorId: 'u0',
  actorName: '管理员',
  address: '192.0.2.1',
  action,
  target,
  before: null,
  after: { text: '改 "quoted" \\ and 😀' },
});

const person = (id: string, account: string, change: Partial<NewUser> = {}): NewUser => ({
  id: id.padStart(26, '0'),
  account,
  name: '安娜',
  role: 'admin',
  level: 9999,
  isHostAdmin: false,
  isEnabled: true,
  passwordHash: '$argon2id$x',
  ...change,
});

const code = (wanted: string) => (error: unknown) => (error as { code?: string }).code === wanted;

export function identityContract(name: string, open: OpenTenantStore): void {
  describe(`identity of a tenant: ${name}`, () => {
    it('accounts differ by more than their case, and a user is found by either', async (t) => {
      const { users } = (await open(t)).store.identity;
      const added = await users.add(person('1', 'Anna'), entry('user.added'));
      await assert.rejects(users.add(person('2', 'ANNA'), entry('user.added')), code('USER_EXISTS'));
      await users.add(person('3', '李雷', { role: 'viewer', level: 0, name: '' }), entry('user.added'));
      assert.deepEqual((await users.findForLogin('aNNa'))?.user, added);
      assert.equal((await users.findForLogin('李雷'))?.passwordHash, '$argon2id$x');
      for (const other of ['anna ', 'ánna']) assert.equal(await users.findForLogin(other), undefined);
      await users.noteLogin(added.id, 1_800_000_000_123, 'new hash');
      assert.deepEqual(await users.find(added.id), { ...added, lastLoginAt: 1_800_000_000_123 });
      assert.equal((await users.findForLogin('anna'))?.passwordHash, 'new hash');
    });

    it('keeps one enabled admin, and a refused change leaves no trace', async (t) => {
      const { users, audit } = (await open(t)).store.identity;
      const one = await users.add(person('1', 'one'), entry('user.added'));
      const off = await users.add(person('2', 'off', { isEnabled: false }), entry('user.added'));
      const keep = { endSessions: false };
      await assert.rejects(users.change(one.id, { role: 'viewer' }, keep, entry('refused')), code('LAST_ADMIN'));
      await assert.rejects(users.remove(one.id, entry('refused')), code('LAST_ADMIN'));
      assert.deepEqual(await users.find(one.id), one);
      assert.deepEqual(await audit.list({ action: 'refused', limit: 10 }), []);
      await users.change(off.id, { isEnabled: true }, keep, entry('user.changed'));
      await users.remove(one.id, entry('user.removed'));
      await assert.rejects(users.remove(one.id, entry('x')), code('NOT_FOUND'));
    });

    it('sessions end with what ends them', async (t) => {
      const { users, sessions } = (await open(t)).store.identity;
      const user = await users.add(person('1', 'one', { role: 'viewer' }), entry('user.added'));
      const make = async (id: string) => {
        const session = { id, userId: user.id, createdAt: 1, expiresAt: 2_000_000_000_000, csrf: `csrf-${id}` };
        await sessions.add(session);
        return session;
      };
      const session = await make('s1');
      assert.deepEqual(await sessions.find('s1'), { session, user });
      assert.equal(await sessions.find('S1'), undefined, 'ids are bytes');
      await make('s2');
      await sessions.remove('s2');
      assert.equal(await sessions.find('s2'), undefined);
      await users.change(user.id, { name: 'x' }, { endSessions: false }, entry('user.changed'));
      assert.equal((await sessions.find('s1'))?.user.name, 'x');
      await users.change(user.id, { role: 'operator' }, { endSessions: true }, entry('user.changed'));
      assert.equal(await sessions.find('s1'), undefined);
      await make('s3');
      assert.equal(await sessions.removeOfUser(user.id), 1);
      await make('s4');
      await users.remove(user.id, entry('user.removed'));
      assert.equal(await sessions.find('s4'), undefined);
    });

    it('keys are found by their hash until they are removed', async (t) => {
      const { keys } = (await open(t)).store.identity;
      const key = {
        id: '1'.padStart(26, '0'),
        name: '持续集成',
        role: 'developer',
        scopes: ['engine.push'],
        expiresAt: 1_900_000_000_000,
        createdAt: 1_800_000_000_000,
        createdBy: 'anna',
        lastUsedAt: undefined,
      } as const;
      await keys.add(key, 'ab'.repeat(32), entry('key.added'));
      assert.deepEqual(await keys.findByHash('ab'.repeat(32)), key);
      assert.equal(await keys.findByHash('AB'.repeat(32)), undefined);
      await keys.noteUse(key.id, 1_850_000_000_000);
      assert.deepEqual(await keys.list(), [{ ...key, lastUsedAt: 1_850_000_000_000 }]);
      await keys.remove(key.id, entry('key.removed'));
      assert.equal(await keys.findByHash('ab'.repeat(32)), undefined);
      await assert.rejects(keys.remove(key.id, entry('key.removed')), code('NOT_FOUND'));
    });

    it('the log of changes gives back what was written, newest first and page by page', async (t) => {
      const { audit } = (await open(t)).store.identity;
      for (const target of ['a', 'b', 'c']) await audit.write(entry('engine.saved', target));
      await audit.write({ ...entry('key.added', 'a'), actorName: 'bob' });
      const [newest, ...rest] = await audit.list({ limit: 10 });
      assert.deepEqual([newest?.actorName, rest.map(({ target }) => target)], ['bob', ['c', 'b', 'a']]);
      const { id: _id, at: _at, ...written } = rest[2] ?? { id: '', at: 0 };
      assert.deepEqual(written, entry('engine.saved', 'a'));
      assert.equal((await audit.list({ before: rest[0]?.id ?? '', limit: 1 }))[0]?.target, 'b');
      assert.equal((await audit.list({ target: 'a', limit: 10 })).length, 2);
      assert.equal((await audit.list({ actor: 'bob', limit: 10 })).length, 1);
    });

    it('signing keys outlive a restart, newest first', async (t) => {
      const place = await open(t);
      const { signingKeys } = place.store.identity;
      const old = { kid: 'k1'.padStart(26, '0'), secret: 'Secret_-1', createdAt: 1_800_000_000_000 };
      const young = { kid: 'k2'.padStart(26, '0'), secret: 'secret_-2', createdAt: 1_800_000_000_001 };
      await signingKeys.add(old);
      await signingKeys.add(young);
      const again = (await place.reopen()).identity.signingKeys;
      assert.deepEqual(await again.list(), [young, old]);
      await again.remove([old.kid]);
      assert.deepEqual(await again.list(), [young]);
    });
  });
}
