import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { createEmbeddedCache } from '../../src/adapters/embedded/embedded-cache.ts';
import { toCacheKey } from '../../src/core/cache-key.ts';
import { AppError } from '../../src/core/errors.ts';
import type { Cache } from '../../src/ports/cache.ts';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { accepted } from '../support/parsed.ts';
import { ScriptRun } from '../support/script-run.ts';
import { tempDir } from '../support/temp-dir.ts';

const clock = new ManualClock();

async function open(t: TestContext): Promise<{ run: ScriptRun; cache: Cache }> {
  const cache = await createEmbeddedCache({ file: join(tempDir(t), 'host.db'), clock });
  t.after(() => cache.close());
  return { run: new ScriptRun({ cache, lang: 'en' }), cache };
}

const call = (run: ScriptRun, member: string, ...args: unknown[]) =>
  run.call(`Cache.${member}` as HostCallName, ...args);

async function refusal(run: ScriptRun, member: string, ...args: unknown[]): Promise<string> {
  const answer = (await call(run, member, ...args)) as { Code?: number; Msg?: string; ReasonCode?: string };
  assert.equal(answer?.Code, 0, JSON.stringify(answer));
  return `${answer.ReasonCode}: ${answer.Msg}`;
}

describe('V8.Cache members (v8-surface.md 6.1)', () => {
  /** Steps of one script on an empty cache, each with what it answers. */
  const rows: readonly [what: string, steps: readonly [member: string, args: readonly unknown[], answer: unknown][]][] =
    [
      ['Get of nothing is null', [['Get', ['k'], null]]],
      [
        'Set answers true and Get the text',
        [
          ['Set', ['k', '{"a":1}'], true],
          ['Get', ['k'], '{"a":1}'],
        ],
      ],
      [
        'numbers and booleans are kept as text',
        [
          ['Set', ['k', 1.5], true],
          ['Get', ['k'], '1.5'],
          ['Set', ['k', true], true],
          ['Get', ['k'], 'true'],
          ['Set', ['k', null], true],
          ['Get', ['k'], ''],
        ],
      ],
      [
        'the key is trimmed, and may be a number',
        [
          ['Set', [' k ', 'v'], true],
          ['Get', ['k'], 'v'],
          ['Set', [7, 'n'], true],
          ['Get', ['7'], 'n'],
        ],
      ],
      [
        'the own prefix is not doubled, in any case of it',
        [
          ['Set', ['Microi:Acme:k', 'v'], true],
          ['Get', ['k'], 'v'],
          ['Get', ['microi:ACME:k'], 'v'],
        ],
      ],
      [
        'SysConfig:{tenant} is the tenant’s SysConfig',
        [
          ['Set', ['SysConfig:acme', 'v'], true],
          ['Get', ['Microi:Acme:SysConfig'], 'v'],
        ],
      ],
      [
        'Delete, Del and Remove are one',
        [
          ['Set', ['a', 1], true],
          ['Set', ['b', 1], true],
          ['Set', ['c', 1], true],
          ['Delete', ['a'], true],
          ['Del', ['b'], true],
          ['Remove', ['c'], true],
          ['Remove', ['c'], false],
        ],
      ],
      [
        'KeyExist and Exists are one',
        [
          ['KeyExist', ['k'], false],
          ['Set', ['k', 'v'], true],
          ['KeyExist', ['k'], true],
          ['Exists', ['k'], true],
        ],
      ],
      [
        'SetIfNotExists sets once; null is stored as blank',
        [
          ['SetIfNotExists', ['k', null, 10], true],
          ['SetIfNotExists', ['k', 'x', 10], false],
          ['Get', ['k'], ''],
        ],
      ],
      [
        'RemoveParent removes a prefix of the tenant',
        [
          ['Set', ['list:1', 1], true],
          ['Set', ['list:2', 1], true],
          ['Set', ['other', 1], true],
          ['RemoveParent', ['list:'], 2],
          ['Exists', ['other'], true],
        ],
      ],
      [
        'hash fields',
        [
          ['HashSet', ['h', 'a', 1], true],
          ['HashSet', ['h', 'a', 2], true],
          [
            'HashSet',
            [
              'h',
              [
                { Name: 'b', Value: 'x' },
                { Name: 'c', Value: null },
              ],
            ],
            true,
          ],
          ['HashGet', ['h', 'a'], '2'],
          ['HashGet', ['h', 'none'], null],
          ['HashGet', ['none', 'a'], null],
          [
            'HashGetAll',
            ['h'],
            [
              { Name: 'a', Value: '2' },
              { Name: 'b', Value: 'x' },
              { Name: 'c', Value: '' },
            ],
          ],
          ['HashGetAllKeys', ['h'], ['a', 'b', 'c']],
          ['HashGetAllValues', ['h'], ['2', 'x', '']],
          ['HashLength', ['h'], 3],
          ['HashExists', ['h', 'b'], true],
          ['HashExists', ['h', 'z'], false],
          ['HashDelete', ['h', 'a'], true],
          ['HashDelete', ['h', 'a'], false],
          ['HashDelete', ['h', ['b', 'z']], 1],
          ['HashRemove', ['h', 'c'], true],
          ['Exists', ['h'], false],
        ],
      ],
      [
        'HashIncrement counts by n, also down and in fractions',
        [
          ['HashIncrement', ['h', 'n'], 1],
          ['HashIncrement', ['h', 'n', 2], 3],
          ['HashIncrement', ['h', 'n', -0.5], 2.5],
          ['HashIncrement', ['h', 'n', '1'], 3.5],
          ['HashGet', ['h', 'n'], '3.5'],
        ],
      ],
    ];
  for (const [what, steps] of rows) {
    it(what, async (t) => {
      const { run } = await open(t);
      for (const [member, args, answer] of steps) {
        assert.deepEqual(await call(run, member, ...args), answer, `${member}(${JSON.stringify(args)})`);
      }
      assert.deepEqual(run.consoleLines, []);
    });
  }

  for (const [life, ms] of [
    [1, 1_000],
    [0.25, 250],
    ['0.00:00:02', 2_000],
    ['1.00:00:00', 86_400_000],
  ] as const) {
    it(`a value lives ${JSON.stringify(life)}`, async (t) => {
      const { run } = await open(t);
      await call(run, 'Set', 'k', 'v', life);
      await call(run, 'SetIfNotExists', 'l', 'v', life);
      await call(run, 'HashSet', 'h', 'f', 'v');
      assert.equal(await call(run, 'Expire', 'h', life), true);
      clock.set(clock.now() + ms - 1);
      assert.deepEqual(
        [await call(run, 'Get', 'k'), await call(run, 'Get', 'l'), await call(run, 'HashGet', 'h', 'f')],
        ['v', 'v', 'v'],
      );
      clock.set(clock.now() + 1);
      assert.deepEqual(
        [await call(run, 'Get', 'k'), await call(run, 'Get', 'l'), await call(run, 'HashGet', 'h', 'f')],
        [null, null, null],
      );
      assert.equal(await call(run, 'Expire', 'h', life), false);
    });
  }
});

describe('refused calls of V8.Cache', () => {
  const rows: readonly [member: string, args: readonly unknown[], text: RegExp][] = [
    ['Get', [], /CACHE_KEY_INVALID/],
    ['Get', ['  '], /CACHE_KEY_INVALID/],
    ['Get', ['a\nb'], /CACHE_KEY_INVALID/],
    ['Get', [{ a: 1 }], /CACHE_KEY_INVALID/],
    ['Get', ['k'.repeat(1_025)], /CACHE_KEY_INVALID/],
    ['Get', ['Microi:globex:k'], /CACHE_KEY_FOREIGN/],
    ['Remove', ['microi:k'], /CACHE_KEY_FOREIGN/],
    ['RemoveParent', [''], /CACHE_KEY_INVALID/],
    ['RemoveParent', ['Microi:Acme:'], /CACHE_KEY_INVALID/],
    ['Set', ['k', { a: 1 }], /PARAM_INVALID: .*value.*JSON\.stringify/],
    ['Set', ['k', [1]], /PARAM_INVALID: .*JSON\.stringify/],
    ['Set', ['k', 'x'.repeat(1024 * 1024 + 1)], /CACHE_VALUE_TOO_LARGE: .*1048577 bytes, the limit is 1048576/],
    ['Set', ['k', '订'.repeat(350_000)], /CACHE_VALUE_TOO_LARGE/],
    ['Set', ['k', 'v', 0], /seconds/],
    ['Set', ['k', 'v', -1], /seconds/],
    ['Set', ['k', 'v', 1e300], /seconds/],
    ['Set', ['k', 'v', '3600'], /seconds.*as a number/],
    ['Set', ['k', 'v', '1 hour'], /seconds/],
    ['Set', ['k', 'v', '00:00:00'], /seconds/],
    ['Set', ['k', 'v', true], /seconds/],
    ['SetIfNotExists', ['k', 'v'], /PARAM_MISSING: .*seconds/],
    ['Expire', ['k'], /PARAM_MISSING: .*seconds/],
    ['HashSet', ['h'], /PARAM_MISSING: .*field/],
    ['HashSet', ['h', []], /fields/],
    ['HashSet', ['h', ['a']], /fields/],
    ['HashSet', ['h', [{ Value: 1 }]], /PARAM_MISSING: .*field/],
    ['HashSet', ['h', 'f', { a: 1 }], /JSON\.stringify/],
    ['HashGet', ['h', 'f'.repeat(1_025)], /field/],
    ['HashIncrement', ['h', 'f', 'x'], /PARAM_INVALID: .*\bn\b.*number/],
  ];
  for (const [member, args, text] of rows) {
    it(`${member}(${JSON.stringify(args).slice(1, 60)}) says why, and tells the author`, async (t) => {
      const { run } = await open(t);
      assert.match(await refusal(run, member, ...args), text);
      assert.equal(run.consoleLines.length, 1);
      assert.match(run.consoleLines[0] ?? '', /^warn: V8\.Cache: /);
      assert.equal(await call(run, 'Exists', 'k'), false, 'nothing was written');
    });
  }

  it('a string is no hash', async (t) => {
    const { run } = await open(t);
    await call(run, 'Set', 'k', 'v');
    assert.match(await refusal(run, 'HashGet', 'k', 'f'), /CACHE_VALUE_MISMATCH/);
    assert.match(await refusal(run, 'HashIncrement', 'k', 'f', 1), /CACHE_VALUE_MISMATCH/);
  });

  it('a cache that is away is Code 0 for every member, never null or false', async () => {
    const away = new Proxy({} as Cache, {
      get: () => () => Promise.reject(new AppError('CACHE_UNAVAILABLE', { reason: 'the connection is lost' })),
    });
    const run = new ScriptRun({ cache: away, lang: 'en' });
    const args: Readonly<Record<string, readonly unknown[]>> = {
      Get: ['k'],
      Set: ['k', 'v'],
      SetIfNotExists: ['k', 'v', 1],
      Delete: ['k'],
      Del: ['k'],
      Remove: ['k'],
      RemoveParent: ['k'],
      KeyExist: ['k'],
      Exists: ['k'],
      Expire: ['k', 1],
      HashSet: ['k', 'f', 'v'],
      HashGet: ['k', 'f'],
      HashGetAll: ['k'],
      HashGetAllKeys: ['k'],
      HashGetAllValues: ['k'],
      HashDelete: ['k', 'f'],
      HashRemove: ['k', 'f'],
      HashExists: ['k', 'f'],
      HashLength: ['k'],
      HashIncrement: ['k', 'f', 1],
    };
    for (const [member, values] of Object.entries(args)) {
      assert.match(await refusal(run, member, ...values), /CACHE_UNAVAILABLE: .*the connection is lost/);
    }
    assert.equal(run.consoleLines.length, 1, 'said once');
  });
});

describe('keys of V8.Cache', () => {
  it('never reach another tenant, whatever they are', async (t) => {
    const { run, cache } = await open(t);
    const others = ['k', 'SysConfig', 'order:1', ' '].map((name) => name.trim() || 'blank');
    for (const name of others) await cache.set(accepted(toCacheKey('globex', name)), 'theirs');
    const part = fc.constantFrom(
      'Microi:',
      'microi:',
      'globex',
      'Acme',
      ':',
      '*',
      '..',
      ' ',
      'k',
      'SysConfig',
      'order:1',
      '\u0000',
      '\u212a',
    );
    const key = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(key, async (name) => {
        for (const member of ['Remove', 'RemoveParent']) await call(run, member, name);
        await call(run, 'Set', name, 'ours');
        const read = await call(run, 'Get', name);
        assert.notEqual(read, 'theirs');
        await call(run, 'Remove', name);
      }),
      { numRuns: 300 },
    );
    for (const name of others) assert.equal(await cache.get(accepted(toCacheKey('globex', name))), 'theirs');
  });
});
