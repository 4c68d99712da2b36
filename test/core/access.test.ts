import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Caller, maySee, PERMISSIONS, type Permission, ROLES, refusalOf } from '../../src/core/access.ts';
import { parseApiKey } from '../../src/core/api-key.ts';

const HASH = 'ab'.repeat(32);
const names = Object.keys(PERMISSIONS) as Permission[];

describe('a caller of one tenant', () => {
  for (const role of ROLES) {
    const caller: Caller = { kind: 'tenant', tenant: 'Shop', role };
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
      (name) => refusalOf({ kind: 'tenant', tenant: 'shop', role: 'viewer' }, name) === undefined,
    );
    assert.deepEqual(mine, ['tenant.list', 'record.read']);
  });
});

it('a caller of the host may do everything everywhere', () => {
  for (const permission of names) assert.equal(refusalOf({ kind: 'host' }, permission, 'any'), undefined);
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
