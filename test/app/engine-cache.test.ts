import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { EmbeddedInvalidation } from '../../src/adapters/embedded/embedded-invalidation.ts';
import { EngineCache } from '../../src/app/engine-cache.ts';
import type { EngineSource } from '../../src/core/engine.ts';
import { NO_ENGINE_LIMITS } from '../../src/core/engine-limits.ts';
import { AppError } from '../../src/core/errors.ts';
import type { InvalidationListener } from '../../src/ports/invalidation.ts';
import type { EngineStore } from '../../src/ports/tenant-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingLog } from '../support/recording-log.ts';

const TTL_MS = 5_000;
const MISS_TTL_MS = 250;

/** A table of engines that counts how often it is asked, and answers when the test lets it. */
class EngineTable implements Pick<EngineStore, 'find'> {
  readonly rows = new Map<string, EngineSource>();
  asked = 0;
  failure: AppError | undefined;
  /** Held answers are read before and given after. */
  gate: Promise<void> = Promise.resolve();

  write(key: string, version: string, enabled = true): void {
    this.rows.set(key.toLowerCase(), {
      key,
      name: key,
      source: version,
      version,
      enabled,
      stopHttp: false,
      limits: NO_ENGINE_LIMITS,
    });
  }

  async find(engineKey: string): Promise<EngineSource | undefined> {
    this.asked++;
    const row = this.rows.get(engineKey.toLowerCase());
    const { failure } = this;
    await this.gate;
    if (failure !== undefined) throw failure;
    return row;
  }

  async keyAtAddress(): Promise<undefined> {
    return undefined;
  }

  async routed(): Promise<readonly never[]> {
    return [];
  }

  async list(): Promise<readonly Omit<EngineSource, 'source'>[]> {
    return [...this.rows.values()];
  }
}

/** Invalidation whose connection the test takes away. */
class SwitchedInvalidation extends EmbeddedInvalidation {
  isConnected = true;
  readonly #own = new Set<InvalidationListener>();

  override isLive(): boolean {
    return this.isConnected;
  }
  override listen(listener: InvalidationListener): () => void {
    this.#own.add(listener);
    return super.listen(listener);
  }
  override async announce(tenant: string, names: readonly string[]): Promise<void> {
    if (!this.isConnected) throw new AppError('CACHE_UNAVAILABLE', { reason: 'cut' });
    await super.announce(tenant, names);
  }
  reconnect(): void {
    for (const listener of this.#own) listener.missed();
    this.isConnected = true;
  }
}

function setUp(t: TestContext) {
  const clock = new ManualClock();
  const invalidation = new SwitchedInvalidation();
  const log = new RecordingLog();
  const cache = new EngineCache({ clock, invalidation, log });
  t.after(() => cache.close());
  const engines = new EngineTable();
  const store = { tenant: 'T1', engines };
  engines.write('Order-Intake', 'v1');
  const versionOf = async (key = 'order-intake') => (await cache.find(store, key))?.version;
  return { clock, invalidation, log, cache, engines, store, versionOf };
}

test('an engine is asked for once and remembered in any case of its key', async (t) => {
  const { engines, versionOf } = setUp(t);
  for (const key of ['order-intake', 'ORDER-INTAKE', 'Order-Intake']) assert.equal(await versionOf(key), 'v1');
  assert.equal(engines.asked, 1);
});

test('a row edited by hand is seen when the remembered one is 5 s old, not later', async (t) => {
  const { clock, engines, versionOf } = setUp(t);
  await versionOf();
  engines.write('Order-Intake', 'v2');
  clock.set(clock.now() + TTL_MS - 1);
  assert.equal(await versionOf(), 'v1');
  clock.set(clock.now() + 1);
  assert.equal(await versionOf(), 'v2');
});

test('the age counts from the question: a slow answer is not remembered for longer', async (t) => {
  const { clock, engines, versionOf } = setUp(t);
  const gate = Promise.withResolvers<void>();
  engines.gate = gate.promise;
  const first = versionOf();
  clock.set(clock.now() + TTL_MS - 1);
  const joined = versionOf();
  clock.set(clock.now() + 1);
  engines.write('Order-Intake', 'v2');
  gate.resolve();
  assert.equal(await first, 'v1');
  assert.equal(await joined, 'v2', 'an answer that is too old for who joined is asked for again');
});

test('questions at the same moment are one question', async (t) => {
  const { engines, versionOf } = setUp(t);
  const versions = await Promise.all(Array.from({ length: 20 }, () => versionOf()));
  assert.deepEqual([...new Set(versions)], ['v1']);
  assert.equal(engines.asked, 1);
});

test('a push is seen at once, here and on a host that hears of it', async (t) => {
  const { clock, invalidation, log, cache, engines, store, versionOf } = setUp(t);
  const elsewhere = new EngineCache({ clock, invalidation, log });
  t.after(() => elsewhere.close());
  await versionOf();
  await elsewhere.find(store, 'order-intake');
  engines.write('Order-Intake', 'v2');
  await cache.changed('t1', ['ORDER-intake', 'other']);
  assert.equal(await versionOf(), 'v2');
  assert.equal((await elsewhere.find(store, 'order-intake'))?.version, 'v2');
});

test('a push of one tenant leaves the engines of others remembered', async (t) => {
  const { cache, engines, versionOf } = setUp(t);
  await versionOf();
  await cache.changed('t2', ['order-intake']);
  await versionOf();
  assert.equal(engines.asked, 1);
});

test('an answer that a push overtook is not remembered, and who joined it gets the new one', async (t) => {
  const { cache, engines, versionOf } = setUp(t);
  const gate = Promise.withResolvers<void>();
  engines.gate = gate.promise;
  const [early, joined] = [versionOf(), versionOf()];
  engines.write('Order-Intake', 'v2');
  await cache.changed('t1', ['order-intake']);
  gate.resolve();
  assert.equal(await early, 'v1');
  assert.equal(await joined, 'v2');
  assert.equal(await versionOf(), 'v2');
});

test('a missing engine is asked for again after a quarter of a second', async (t) => {
  const { clock, engines, versionOf } = setUp(t);
  assert.equal(await versionOf('late'), undefined);
  clock.set(clock.now() + MISS_TTL_MS - 1);
  assert.equal(await versionOf('late'), undefined);
  assert.equal(engines.asked, 1);
  engines.write('late', 'v1');
  clock.set(clock.now() + 1);
  assert.equal(await versionOf('late'), 'v1');
});

test('a disabled engine is asked for again as soon as a missing one', async (t) => {
  const { clock, cache, engines, store } = setUp(t);
  engines.write('Order-Intake', 'v1', false);
  assert.equal((await cache.find(store, 'order-intake'))?.enabled, false);
  engines.write('Order-Intake', 'v1');
  clock.set(clock.now() + MISS_TTL_MS);
  assert.equal((await cache.find(store, 'order-intake'))?.enabled, true);
});

test('a failed question is not remembered', async (t) => {
  const { engines, versionOf } = setUp(t);
  engines.failure = new AppError('DB_UNAVAILABLE', { reason: 'gone' });
  await assert.rejects(versionOf(), { code: 'DB_UNAVAILABLE' });
  engines.failure = undefined;
  assert.equal(await versionOf(), 'v1');
});

test('while events may be missed the store is asked, and nothing from before is used afterwards', async (t) => {
  const { invalidation, engines, versionOf } = setUp(t);
  await versionOf();
  invalidation.isConnected = false;
  engines.write('Order-Intake', 'v2');
  assert.deepEqual([await versionOf(), await versionOf()], ['v2', 'v2']);
  assert.equal(engines.asked, 3);
  invalidation.reconnect();
  assert.equal(await versionOf(), 'v2');
});

test('a push that could not be announced is seen here and does not fail', async (t) => {
  const { invalidation, log, cache, engines, versionOf } = setUp(t);
  await versionOf();
  invalidation.isConnected = false;
  engines.write('Order-Intake', 'v2');
  await cache.changed('t1', ['order-intake']);
  invalidation.isConnected = true;
  assert.equal(await versionOf(), 'v2');
  assert.equal(log.of('invalidation.announce_failed').length, 1);
});

test('a clock that was set back makes nothing live longer', async (t) => {
  const { clock, engines, versionOf } = setUp(t);
  await versionOf();
  engines.write('Order-Intake', 'v2');
  clock.set(clock.now() - 3_600_000);
  assert.equal(await versionOf(), 'v2');
});

for (const key of ['Ünïcode', ' order-intake', '', 'x'.repeat(51)]) {
  test(`the key ${JSON.stringify(key.slice(0, 12))} is the store's to compare`, async (t) => {
    const { engines, versionOf } = setUp(t);
    await versionOf(key);
    await versionOf(key);
    assert.equal(engines.asked, 2);
  });
}

test('a flood of names that do not exist is forgotten', async (t) => {
  const { engines, versionOf } = setUp(t);
  await versionOf();
  for (let index = 0; index < 5_001; index++) await versionOf(`none-${index}`);
  assert.equal(await versionOf('none-5000'), undefined);
  const asked = engines.asked;
  await versionOf();
  assert.equal(engines.asked, asked + 1, 'the oldest had to go');
});
