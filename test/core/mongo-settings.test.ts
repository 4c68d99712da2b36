import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mongoUrlOf } from '../../src/core/mongo-settings.ts';

interface Case {
  readonly what: string;
  readonly mongoUrl?: string;
  /** `DbMongoConnection` by tenant. */
  readonly rows: Readonly<Record<string, string | null>>;
  /** By tenant: the connection string, `-` for none, or the refusal. */
  readonly expect: Readonly<Record<string, string>>;
}

const MAIN = 'mongodb://main:p@db1:27017';
const A = 'mongodb://a:p@db1,db2/?replicaSet=rs';

const CASES: readonly Case[] = [
  { what: 'nobody has one', rows: { a: null }, expect: { demo: '-', a: '-', unknown: '-' } },
  { what: 'mongoUrl is the main tenant’s alone', mongoUrl: MAIN, rows: { a: '' }, expect: { demo: MAIN, a: '-' } },
  { what: 'the main tenant’s row comes first', mongoUrl: MAIN, rows: { Demo: ` ${A} ` }, expect: { demo: A } },
  { what: 'accounts of their own on one server', mongoUrl: MAIN, rows: { a: A }, expect: { demo: MAIN, a: A } },
  {
    what: 'a copy of the main tenant’s account refuses the copy alone',
    mongoUrl: MAIN,
    rows: { a: 'mongodb://main:other@DB1/?authSource=a' },
    expect: { demo: MAIN, a: 'DOCUMENTS_ACCOUNT_SHARED' },
  },
  {
    what: 'two children with one account on one of the hosts',
    rows: { a: A, b: 'mongodb://a:q@db3,db2:27017', c: 'mongodb://c:p@db2' },
    expect: { a: 'DOCUMENTS_ACCOUNT_SHARED', b: 'DOCUMENTS_ACCOUNT_SHARED', c: 'mongodb://c:p@db2' },
  },
  {
    what: 'a server without logins is for one tenant',
    rows: { a: 'mongodb://db1', b: 'mongodb://db1/x', c: 'mongodb://db1:27018' },
    expect: { a: 'DOCUMENTS_ACCOUNT_SHARED', b: 'DOCUMENTS_ACCOUNT_SHARED', c: 'mongodb://db1:27018' },
  },
  {
    what: 'a name written with escapes is the same name',
    rows: { a: 'mongodb+srv://us%65r:p@cluster.test', b: 'mongodb+srv://user:p@cluster.test/' },
    expect: { a: 'DOCUMENTS_ACCOUNT_SHARED', b: 'DOCUMENTS_ACCOUNT_SHARED' },
  },
  {
    what: 'no connection string',
    mongoUrl: 'mongodb://',
    rows: { a: 'mysql://a:p@db1', b: 'mongodb://b:p@,db1' },
    expect: { demo: 'DOCUMENTS_URL_INVALID', a: 'DOCUMENTS_URL_INVALID', b: 'DOCUMENTS_URL_INVALID' },
  },
];

describe('the MongoDB of a tenant', () => {
  for (const { what, mongoUrl, rows, expect } of CASES) {
    it(what, () => {
      const registry = {
        mainTenant: 'demo',
        mongoUrl,
        rows: Object.entries(rows).map(([tenant, url]) => ({ tenant, row: { DbMongoConnection: url } })),
      };
      const found = Object.keys(expect).map((tenant) => {
        const result = mongoUrlOf(tenant, registry);
        return [tenant, result.ok ? (result.value ?? '-') : result.error.code];
      });
      assert.deepEqual(Object.fromEntries(found), expect);
    });
  }

  it('a refusal repeats nothing of the connection string', () => {
    const rows = [{ tenant: 'a', row: { DbMongoConnection: 'mongo://canary_user:canary@canary_host' } }];
    const result = mongoUrlOf('a', { mainTenant: 'demo', rows });
    assert.doesNotMatch(JSON.stringify(result), /canary/);
  });
});
