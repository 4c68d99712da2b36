/**
 * `npm run bench -- reconcile`: what a pass over all bindings costs when nothing has changed, how many queries it makes,
 * that changed bindings are attached by the next pass, and what an idle binding weighs: 1,000 tenants with 10 bindings
 * each on the embedded default, 100 with 10 on RabbitMQ.
 *
 *   BENCH_TENANTS=1000 BENCH_AMQP_TENANTS=100
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Adapters } from '../../src/compose.ts';
import { draftColumns, NEW_BINDING } from '../../src/core/binding-draft.ts';
import type { TenantDirectory, TenantStore } from '../../src/ports/tenant-store.ts';
import { startRabbitMq } from '../support/services/rabbitmq.ts';
import { TestHost } from '../support/test-host.ts';
import { openAmqpHost, settingsOfUrl } from './amqp-host.ts';
import { type Bar, median, reportBars } from './bars.ts';

const TENANTS = Number(process.env.BENCH_TENANTS ?? 1_000);
const AMQP_TENANTS = Number(process.env.BENCH_AMQP_TENANTS ?? 100);
const BINDINGS = 10;
const CHANGED = 100;
const ENGINE = 'bench';

const AUDIT = { actorKind: 'host', actorId: '', actorName: '', address: '', action: 'binding.added' } as const;
const PASSES = 5;

/** A pass with no change takes less. Milliseconds. */
const PASS_MS = 2_000;

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  for (const name of ['embedded', 'amqp', 'rabbit']) mkdirSync(join(dir, name));
  try {
    const reads = new ReadCounter();
    const embedded = await TestHost.open(join(dir, 'embedded'), { decorate: (real) => reads.around(real) });
    const bars = await measure('embedded', embedded, TENANTS, reads);
    await embedded.close();
    const rabbit = await startRabbitMq(join(dir, 'rabbit'));
    const counted = new ReadCounter();
    const amqp = await openAmqpHost(join(dir, 'amqp'), {
      lanes: 1,
      settingsOf: () => settingsOfUrl(rabbit.url),
      decorate: (real) => counted.around(real),
    });
    bars.push(...(await measure('rabbitmq', amqp.host, AMQP_TENANTS, counted)));
    await amqp.close();
    await rabbit.stop();
    reportBars(bars);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(name: string, host: TestHost, tenants: number, reads: ReadCounter): Promise<Bar[]> {
  const stores = await addTenants(host, tenants);
  const { reconciler } = host.host;
  const before = memoryMb();
  await reconciler.reconcile();
  expectAttached(host, tenants * BINDINGS);
  const weight = ((memoryMb() - before) * 1024) / (tenants * BINDINGS);
  reads.count = 0;
  const passes: number[] = [];
  for (let i = 0; i < PASSES; i++) passes.push(await timed(() => reconciler.reconcile()));
  const queries = reads.count / PASSES / tenants;
  await bindMore(stores);
  const changedMs = await timed(() => reconciler.reconcile());
  expectAttached(host, tenants * BINDINGS + CHANGED);
  process.stdout.write(
    `${name}: ${tenants} tenants, ${tenants * BINDINGS} bindings; a pass ${median(passes).toFixed(0)} ms, ` +
      `with ${CHANGED} new bindings ${changedMs.toFixed(0)} ms; ${weight.toFixed(1)} KB per idle binding\n`,
  );
  return [
    { name: `${name}-pass-ms`, value: median(passes), target: PASS_MS, atMost: true },
    { name: `${name}-queries-per-tenant`, value: queries, target: 1, atMost: true },
    { name: `${name}-changed-attached`, value: CHANGED, target: CHANGED },
  ];
}

/** The main tenant is one of them. */
async function addTenants(host: TestHost, count: number): Promise<readonly TenantStore[]> {
  const { directory } = host.adapters;
  for (let i = 1; i < count; i++) await directory.add(`tenant-${i}`, undefined);
  const engine = { key: ENGINE, name: ENGINE, source: 'return { Code: 1 };', version: '1' };
  for (const store of directory.open()) {
    await store.push({ engines: [engine], bindings: [], prune: false, dryRun: false });
    for (let i = 0; i < BINDINGS; i++) await bind(store, `queue-${i}`);
  }
  return directory.open();
}

async function bindMore(stores: readonly TenantStore[]): Promise<void> {
  for (let i = 0; i < CHANGED; i++) {
    await bind(stores[i % stores.length] as TenantStore, `late-${Math.floor(i / stores.length)}`);
  }
}

/** In the table, as a designer of the platform does it; the next pass finds it. */
async function bind(store: TenantStore, queue: string): Promise<void> {
  const columns = draftColumns({ ...NEW_BINDING, queue, engineKey: ENGINE });
  await store.bindings.add(columns, { ...AUDIT, target: queue, before: null, after: null });
}

function expectAttached(host: TestHost, expected: number): void {
  const { attached } = host.host.reconciler;
  if (attached !== expected) throw new Error(`${attached} of ${expected} bindings are attached`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function memoryMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
}

/** Counts the reads of bindings. */
class ReadCounter {
  count = 0;

  around(real: Adapters): Adapters {
    const { directory } = real;
    const counted = new WeakSet<TenantStore>();
    const open = (): readonly TenantStore[] => {
      const stores = directory.open();
      for (const store of stores) if (!counted.has(store)) counted.add(this.#counting(store));
      return stores;
    };
    const proxy = new Proxy(directory, {
      get: (target, key) => (key === 'open' ? open : bound(target, key)),
    }) as TenantDirectory;
    return { ...real, directory: proxy };
  }

  #counting(store: TenantStore): TenantStore {
    const { bindings } = store;
    const readAll = bindings.readAll.bind(bindings);
    bindings.readAll = () => {
      this.count += 1;
      return readAll();
    };
    return store;
  }
}

function bound(target: object, key: string | symbol): unknown {
  const value = Reflect.get(target, key) as unknown;
  return typeof value === 'function' ? value.bind(target) : value;
}

await main();
