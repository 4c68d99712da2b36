import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from '../../src/core/fair-queue.ts';

interface Item {
  readonly tenant: string;
  readonly engine: string;
  readonly n: number;
}

const take = (queue: FairQueue<Item>, accepts: (item: Item) => boolean = () => true) => {
  const item = queue.take(accepts);
  return item === undefined ? undefined : `${item.tenant}/${item.engine}/${item.n}`;
};

function filled(...places: string[]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const [n, place] of places.entries()) {
    const [tenant = '', engine = ''] = place.split('/');
    queue.push({ tenant, engine, n });
  }
  return queue;
}

function drain(queue: FairQueue<Item>): string[] {
  const order: string[] = [];
  for (let next = take(queue); next !== undefined; next = take(queue)) order.push(next);
  return order;
}

test('tenants take turns, and inside a tenant its engines do', () => {
  const queue = filled('a/x', 'a/x', 'a/x', 'a/y', 'b/z', 'b/z', 'c/w');
  assert.deepEqual(drain(queue), ['a/x/0', 'b/z/4', 'c/w/6', 'a/y/3', 'b/z/5', 'a/x/1', 'a/x/2']);
  assert.equal(queue.length, 0);
});

test('who may not be taken is passed over and is first again when it may', () => {
  const queue = filled('a/x', 'b/x', 'b/x', 'b/x');
  const notA = (item: Item) => item.tenant !== 'a';
  assert.equal(take(queue, notA), 'b/x/1');
  assert.equal(take(queue, notA), 'b/x/2');
  assert.equal(take(queue), 'a/x/0');
  assert.equal(take(queue), 'b/x/3');
});

test('another engine of the same tenant goes on where one may not', () => {
  const queue = filled('a/x', 'a/x', 'a/y');
  assert.equal(
    take(queue, (item) => item.engine !== 'x'),
    'a/y/2',
  );
  assert.equal(
    take(queue, () => false),
    undefined,
  );
  assert.equal(queue.length, 2);
});

test('an item can leave out of its turn, once', () => {
  const queue = new FairQueue<Item>();
  const item = { tenant: 'a', engine: 'x', n: 0 };
  queue.push(item);
  queue.push(item);
  assert.deepEqual([queue.length, queue.waitingOf('a'), queue.tenants()], [1, 1, ['a']]);
  assert.equal(queue.remove(item), true);
  assert.equal(queue.remove(item), false);
  assert.deepEqual([queue.length, queue.waitingOf('a'), queue.tenants(), queue.items()], [0, 0, [], []]);
});

const TENANTS = ['a', 'b', 'c', 'd'] as const;
const PUSH = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  engine: fc.constantFrom('x', 'y', 'z'),
});
/** A push, or a take (undefined). */
const STEPS = fc.array(fc.option(PUSH, { nil: undefined, freq: 2 }), { maxLength: 200 });

test('while a tenant waits, every other tenant is served at most once before it', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const queue = new FairQueue<Item>();
      /** Tenants served since this one began to wait or was served. */
      const servedMeanwhile = new Map<string, string[]>();
      for (const [n, step] of steps.entries()) {
        if (step !== undefined) {
          if (queue.waitingOf(step.tenant) === 0) servedMeanwhile.set(step.tenant, []);
          queue.push({ ...step, n });
          continue;
        }
        const item = queue.take(() => true);
        if (item === undefined) continue;
        for (const others of servedMeanwhile.values()) others.push(item.tenant);
        const before = servedMeanwhile.get(item.tenant)?.slice(0, -1) ?? [];
        assert.equal(new Set(before).size, before.length, `${item.tenant} waited for ${before.join(' ')}`);
        servedMeanwhile.delete(item.tenant);
        if (queue.waitingOf(item.tenant) > 0) servedMeanwhile.set(item.tenant, []);
      }
    }),
    { numRuns: 500 },
  );
});

test('the same holds between the engines of one tenant, and inside an engine the first comes first', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 60 }), (engines) => {
      const queue = filled(...engines.map((engine) => `a/${engine}`));
      const order: Item[] = [];
      for (let item = queue.take(() => true); item !== undefined; item = queue.take(() => true)) order.push(item);
      assert.equal(order.length, engines.length);
      for (const engine of new Set(engines)) {
        const turns = order.filter((item) => item.engine === engine).map(({ n }) => n);
        assert.deepEqual(
          turns,
          [...turns].sort((a, b) => a - b),
        );
        const at = order.flatMap((item, i) => (item.engine === engine ? [i] : []));
        for (const [i, turn] of at.entries()) {
          const between = order.slice(i === 0 ? 0 : (at[i - 1] ?? 0) + 1, turn).map((item) => item.engine);
          assert.equal(new Set(between).size, between.length, `${engine} waited for ${between.join(' ')}`);
        }
      }
    }),
  );
});

test('nothing is lost and nothing is taken twice, whatever is refused and removed', () => {
  const refusals = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(fc.array(PUSH, { maxLength: 60 }), refusals, (pushes, refused) => {
      const queue = new FairQueue<Item>();
      const items = pushes.map((place, n) => ({ ...place, n }));
      for (const item of items) queue.push(item);
      const gone = items.filter((item, i) => i % 5 === 0 && queue.remove(item));
      const taken: Item[] = [];
      for (let tries = 0; tries < 1000 && queue.length > 0; tries++) {
        const item = queue.take(() => refused.next().value === false);
        if (item !== undefined) taken.push(item);
      }
      const all = [...gone, ...taken, ...queue.items()].map(({ n }) => n).sort((a, b) => a - b);
      assert.deepEqual(
        all,
        items.map(({ n }) => n),
      );
    }),
  );
});
