import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  ADMIN_LEVEL,
  type Caller,
  isPlatformAdmin,
  maySee,
  PERMISSIONS,
  type Permission,
  ROLES,
  type Role,
  refusalOf,
} from '../../src/core/access.ts';
import { parseApiKey } from '../../src/core/api-key.ts';

const HASH = 'ab'.repeat(32);
const names = Object.keys(PERMISSIONS) as Permission[];
const PERSON = { kind: 'user', id: 'u1', name: 'anna', level: 0 } as const;
const HOST = { kind: 'host', id: '', name: 'host', level: 0 } as const;
const KEY = { kind: 'api-key', id: 'k1', name: 'ci', level: 0 } as const;

describe('a caller of one tenant', () => {
  for (const role of ROLES) {
    const caller: Caller = { kind: 'tenant', tenant: 'Shop', role, by: PERSON };
    it(`has no permission in another tenant, exists it or not: ${role}`, () => {
      for (const permission of names) {
        assert.deepEqual(refusalOf(caller, permission, 'shop-2'), {
          code: 'TOKEN_FOREIGN',
          params: { tenant: 'Shop' },
        });
      }
      assert.equal(maySee(caller, 'shop-2'), false);
    });

    it(`is told the role and what it lacks: ${role}`, () => {
      const refused = refusalOf(caller, 'tenant.manage');
      assert.deepEqual(refused, { code: 'ROLE_DENIED', params: { role, permission: 'tenant.manage' } });
      assert.equal(refusalOf(caller, 'host.read')?.code, 'ROLE_DENIED');
      assert.equal(refusalOf(caller, 'record.read', 'sHOP'), undefined);
    });
  }

  it('changes nothing as a viewer', () => {
    const mine = names.filter(
      (name) => refusalOf({ kind: 'tenant', tenant: 'shop', role: 'viewer', by: PERSON }, name) === undefined,
    );
    assert.deepEqual(mine, ['identity.read', 'session.own', 'tenant.list', 'record.read']);
  });
});

it('a caller of the host may do everything everywhere', () => {
  const person: Caller = { kind: 'host', by: { ...PERSON, level: ADMIN_LEVEL } };
  for (const permission of names) assert.equal(refusalOf(person, permission, 'any'), undefined);
  const token: Caller = { kind: 'host', by: HOST };
  const refused = names.filter((name) => refusalOf(token, name, 'any') !== undefined);
  assert.deepEqual(refused, ['session.own'], 'a token has no login to end');
});

describe('a key', () => {
  const key = (role: Role, scopes?: readonly Permission[]): Caller => ({
    kind: 'tenant',
    tenant: 'shop',
    role,
    by: KEY,
    scopes,
  });

  it('makes neither users nor keys, whatever its role', () => {
    for (const permission of ['user.manage', 'key.manage', 'session.own'] as const) {
      assert.equal(refusalOf(key('admin'), permission, 'shop')?.code, 'USER_NEEDED');
    }
  });

  it('may do what is in its scopes and in its role, and nothing else', () => {
    const narrow = key('admin', ['record.read', 'tenant.manage']);
    const mine = names.filter((name) => refusalOf(narrow, name, 'shop') === undefined);
    assert.deepEqual(mine, ['record.read']);
    assert.equal(refusalOf(narrow, 'engine.push', 'shop')?.code, 'SCOPE_DENIED');
    assert.equal(refusalOf(narrow, 'tenant.manage', 'shop')?.code, 'ROLE_DENIED');
  });

  it('is no platform administrator, and neither is a person below level 9999', () => {
    assert.equal(isPlatformAdmin(key('admin')), false);
    assert.equal(isPlatformAdmin({ kind: 'host', by: HOST }), false);
    const person = (level: number): Caller => ({
      kind: 'tenant',
      tenant: 'a',
      role: 'admin',
      by: { ...PERSON, level },
    });
    assert.equal(isPlatformAdmin(person(9998)), false);
    assert.equal(isPlatformAdmin(person(9999)), true);
  });
});

describe('an API key', () => {
  it('has tenant, role and hash, and is valid through its last day', () => {
    assert.deepEqual(parseApiKey(`Shop-1.operator=${HASH}`), {
      ok: true,
      value: { tenant: 'Shop-1', role: 'operator', sha256: HASH, expiresAt: undefined },
    });
    const dated = parseApiKey(`shop.viewer=${HASH}@2028-02-29`);
    assert.equal(dated.ok && dated.value.expiresAt, Date.UTC(2028, 2, 1));
  });

  const bad = [`shop.owner=${HASH}`, `-x.viewer=${HASH}`, `shop.viewer=${HASH.toUpperCase()}`, 'shop.viewer=secret'];
  for (const text of [...bad, `shop.viewer=${HASH}@2027-02-30`, `shop.viewer=${HASH}@never`, `shop=${HASH}`, '']) {
    it(`is refused by its rule, unquoted: ${text.slice(0, 14)}`, () => {
      const parsed = parseApiKey(text);
      assert.equal(parsed.ok, false);
      assert.doesNotMatch(JSON.stringify(parsed), /secret/);
    });
  }
});

describe('the pages on roles', () => {
  for (const [page, yes] of [
    ['identity.md', 'yes'],
    ['identity.zh-CN.md', '是'],
  ] as const) {
    it(`show the table as it is: ${page}`, () => {
      const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
      const shown = [...text.matchAll(/^\| `([a-z-]+\.[a-z]+)` \|[^|]*\| (.*) \|$/gm)].map(
        ([, name = '', cells = '']) => [name, ROLES.filter((_, index) => cells.split(' | ')[index] === yes)],
      );
      const held = names.map((name) => [
        name,
        ROLES.filter((role) => (PERMISSIONS[name] as readonly string[]).includes(role)),
      ]);
      assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(held));
    });
  }
});
