import type { Binding, BindingRefusal } from '../core/binding.ts';
import { coerceError, describeError, type Lang } from '../core/errors.ts';
import { sameTenant } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExtraDatabases } from '../ports/extra-databases.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import type { TrustedModules } from '../ports/trusted-modules.ts';
import { type AttachTrouble, type BindingStatus, statusOf, statusOfRefusal } from './binding-status.ts';
import type { WorkerServices } from './binding-worker.ts';
import { BoundConsumer } from './bound-consumer.ts';
import { checkModules } from './check-modules.ts';
import { HeldConsumers } from './held-consumers.ts';

/** A store that answers nothing for this long has its consumers cancelled (G4). Milliseconds. */
const STORE_GRACE_MS = 5_000;

/** A queue that could not be attached is tried again after this at the latest. Milliseconds. */
const RETRY_ATTACH_MS = 5_000;

/** Pause between two probes of a store that is down. */
const PROBE_EVERY_MS = 2_000;

export interface ReconcileServices {
  readonly databases: Pick<ExtraDatabases, 'refresh'>;
  readonly modules: TrustedModules;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly lang: Lang;
  readonly directory: TenantDirectory;
  /** Called lazily: workers report to the reconciler how their store fares. */
  readonly workers: () => WorkerServices;
}

/**
 * Keeps the attached consumers equal to the rows of `diy_queue_receive` (mq-mqtt.md 5), one tenant's trouble apart
 * from the others'. A failed read keeps what was last known good; a row that cannot be bound is reported once, and
 * again when it changes.
 */
export class BindingReconciler {
  readonly #services: ReconcileServices;
  readonly #consumers = new Map<string, BoundConsumer>();
  readonly #refusals = new Map<string, BindingRefusal[]>();
  readonly #failures = new Map<string, AttachTrouble>();
  /** What each queue's findings were when they were told last. */
  readonly #told = new Map<string, string>();
  readonly #downSince = new Map<TenantStore, number>();
  readonly #paused = new Set<TenantStore>();
  readonly #held: HeldConsumers;
  /** Tenants whose queue may have been used, by name. */
  #served = new Set<string>();
  #stopped = false;
  #stopping: Promise<void> = Promise.resolve();
  #pass: Promise<void> = Promise.resolve();

  constructor(services: ReconcileServices) {
    this.#services = services;
    this.#held = new HeldConsumers({
      clock: services.clock,
      log: services.log,
      serially: (step) => this.#serially(step),
      attach: (consumer) => this.#attachAgain(consumer),
    });
  }

  /** Passes every `everyMs`, sooner while a queue could not be attached, until the signal aborts. */
  async run(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#services;
    let last = clock.now();
    while (!signal.aborted) {
      await clock.sleep(Math.min(everyMs, RETRY_ATTACH_MS), signal);
      if (signal.aborted || (this.#failures.size === 0 && clock.now() - last < everyMs)) continue;
      await this.reconcile();
      last = clock.now();
    }
  }

  /** One pass over every tenant. Passes never overlap. Never rejects. */
  reconcile(): Promise<void> {
    return this.#serially(() => this.#reconcileAll());
  }

  /** A circuit of the tenant's bindings or engines changed: its consumers are paused, probed or let go on. */
  followCircuits(tenant: string): void {
    for (const consumer of this.#consumers.values()) {
      if (sameTenant(consumer.store.tenant, tenant)) this.#held.follow(consumer);
    }
  }

  /** Rows that could not be bound, by tenant. */
  refusalsOf(tenant: string): readonly BindingRefusal[] {
    return this.#refusals.get(tenant.toLowerCase()) ?? [];
  }

  /** How the tenant's bindings do on this host, in the order of their names; sentences in `lang`. */
  statusOf(store: TenantStore, lang: Lang): readonly BindingStatus[] {
    const consumers = this.#consumersOf(store).map((consumer) =>
      statusOf(consumer, this.#failures.get(keyOf(store, consumer.binding)), lang),
    );
    const refused = this.refusalsOf(store.tenant).map((refusal) => statusOfRefusal(refusal, lang));
    return [...consumers, ...refused].sort((one, other) => (one.queue < other.queue ? -1 : 1));
  }

  /** Attached queues. */
  get attached(): number {
    return [...this.#consumers.values()].filter((consumer) => consumer.isAttached).length;
  }

  /** Takes no more deliveries anywhere. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#held.stop();
    await this.#pass;
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.cancel()));
    this.#stopping = Promise.all([...this.#consumers.values()].map((consumer) => consumer.left())).then(
      () => undefined,
    );
    this.#consumers.clear();
  }

  /** Resolves when consumers in order, which leave after `stop` with their last run, are gone. */
  left(): Promise<void> {
    return this.#stopping;
  }

  /** Follows how a tenant's store fares; after the grace its consumers are cancelled until a probe succeeds. */
  reportStore(store: TenantStore, state: 'served' | 'down'): void {
    if (state === 'served') {
      this.#downSince.delete(store);
      return;
    }
    const now = this.#services.clock.now();
    const since = this.#downSince.get(store) ?? now;
    this.#downSince.set(store, since);
    if (now - since >= STORE_GRACE_MS && !this.#paused.has(store)) void this.#pause(store);
  }

  async #pause(store: TenantStore): Promise<void> {
    this.#paused.add(store);
    this.#services.log.warn('consumer.paused', { tenantId: store.tenant });
    await Promise.all(this.#consumersOf(store).map((consumer) => consumer.cancel().catch(() => undefined)));
    const answers = await this.#probeUntilAnswer(store);
    this.#downSince.delete(store);
    this.#paused.delete(store);
    if (!answers) return;
    this.#services.log.info('consumer.resumed', { tenantId: store.tenant });
    await this.reconcile();
  }

  /** @returns false when the host stops or the tenant is closed meanwhile. */
  async #probeUntilAnswer(store: TenantStore): Promise<boolean> {
    for (;;) {
      await this.#services.clock.sleep(PROBE_EVERY_MS);
      if (this.#stopped || !this.#services.directory.open().includes(store)) return false;
      const answered = await store.probe().then(
        () => true,
        () => false,
      );
      if (answered) return true;
    }
  }

  /** One step at a time: passes, and what circuits ask for. */
  #serially(step: () => Promise<void>): Promise<void> {
    this.#pass = this.#pass.then(step).catch((e: unknown) => {
      this.#services.log.warn('reconcile.failed', { err: coerceError(e) });
    });
    return this.#pass;
  }

  async #attachAgain(consumer: BoundConsumer): Promise<void> {
    const key = keyOf(consumer.store, consumer.binding);
    if (this.#consumers.get(key) === consumer && !this.#paused.has(consumer.store)) await this.#attach(key, consumer);
  }

  async #reconcileAll(): Promise<void> {
    await this.#services.directory.refresh().catch((e: unknown) => {
      this.#services.log.warn('reconcile.failed', { err: coerceError(e) });
    });
    await this.#services.databases.refresh();
    const open = this.#services.directory.open();
    await this.#detachClosed(new Set(open));
    for (const store of open) {
      if (this.#stopped) return;
      await this.#refreshQueue(store.tenant);
      if (!this.#paused.has(store)) await this.#reconcileTenant(store);
    }
  }

  /** An account that was edited is used from now on. */
  async #refreshQueue(tenant: string): Promise<void> {
    await this.#services.queue.refreshTenant(tenant).catch((e: unknown) => {
      this.#services.log.warn('reconcile.failed', { tenantId: tenant, err: coerceError(e) });
    });
  }

  async #reconcileTenant(store: TenantStore): Promise<void> {
    try {
      const rows = await store.bindings.readAll();
      // The directory has the main tenant first.
      const isMain = this.#services.directory.open()[0] === store;
      const { bindings, refusals } = await checkModules(this.#services.modules, isMain, rows.bindings);
      this.#report(store, [...rows.refusals, ...refusals]);
      await this.#apply(store, new Map(bindings.map((binding) => [keyOf(store, binding), binding])));
    } catch (e) {
      // The healthy consumers stay: an unreadable table is no empty table.
      this.#services.log.warn('reconcile.failed', { tenantId: store.tenant, err: coerceError(e) });
    }
  }

  async #apply(store: TenantStore, desired: ReadonlyMap<string, Binding>): Promise<void> {
    for (const consumer of this.#consumersOf(store)) {
      if (!desired.has(keyOf(store, consumer.binding))) await this.#detach(consumer);
    }
    for (const [key, binding] of desired) {
      await this.#replaceStuck(key);
      const consumer = this.#consumers.get(key) ?? new BoundConsumer(this.#services.workers(), store, binding);
      this.#consumers.set(key, consumer);
      await consumer.update(binding);
      if (consumer.isAttached) this.#tellFindings(key, consumer);
      await this.#attach(key, consumer);
    }
  }

  /** A delivery that is never settled takes a place, and in order its key, for ever. */
  async #replaceStuck(key: string): Promise<void> {
    const consumer = this.#consumers.get(key);
    if (consumer === undefined || !consumer.checkUnsettled()) return;
    const fields = { tenantId: consumer.store.tenant, queue: consumer.binding.physicalQueue };
    this.#services.log.error('consumer.replaced', fields);
    this.#consumers.delete(key);
    await consumer.abandon().catch((e: unknown) => {
      this.#services.log.warn('reconcile.failed', { ...fields, err: coerceError(e) });
    });
  }

  async #attach(key: string, consumer: BoundConsumer): Promise<void> {
    if (consumer.isAttached || this.#stopped || this.#held.isHeld(consumer)) return;
    const fields = { tenantId: consumer.store.tenant, queue: consumer.binding.physicalQueue };
    try {
      await consumer.attach(this.#services.queue);
      this.#failures.delete(key);
      this.#tellFindings(key, consumer);
      this.#services.log.info('consumer.attached', { ...fields, engineKey: consumer.binding.engineKey });
    } catch (e) {
      const error = coerceError(e);
      const failures = (this.#failures.get(key)?.failures ?? 0) + 1;
      this.#failures.set(key, { failures, error });
      if (error.code === 'QUEUE_HELD') {
        // Nothing is wrong: it takes over when the other one ends.
        if (failures === 1) this.#services.log.info('consumer.waits', fields);
        return;
      }
      if (error.code === 'QUEUE_UNFIT') return this.#tellFindings(key, consumer);
      // The next pass tries again for ever; the log is told at first and then now and then (mq-mqtt.md 5.3).
      if (failures <= 3 || failures % 10 === 0) {
        this.#services.log.warn('reconcile.failed', { ...fields, failures, err: error });
      }
    }
  }

  async #detach(consumer: BoundConsumer): Promise<void> {
    const key = keyOf(consumer.store, consumer.binding);
    this.#consumers.delete(key);
    this.#failures.delete(key);
    this.#told.delete(key);
    await consumer.cancel();
    const { tenant } = consumer.store;
    this.#services.log.info('consumer.detached', { tenantId: tenant, queue: consumer.binding.physicalQueue });
  }

  /** Tenants that were disabled or went away. */
  async #detachClosed(open: ReadonlySet<TenantStore>): Promise<void> {
    for (const consumer of [...this.#consumers.values()]) {
      if (!open.has(consumer.store)) await this.#detach(consumer);
    }
    const tenants = new Set([...open].map(({ tenant }) => tenant));
    for (const tenant of this.#served) if (!tenants.has(tenant)) await this.#services.queue.closeTenant(tenant);
    this.#served = tenants;
  }

  #consumersOf(store: TenantStore): BoundConsumer[] {
    return [...this.#consumers.values()].filter((consumer) => consumer.store === store);
  }

  /** Once, and again when they change. */
  #tellFindings(key: string, consumer: BoundConsumer): void {
    const { findings, store, binding } = consumer;
    const told = JSON.stringify(findings);
    if (told === (this.#told.get(key) ?? '[]')) return;
    this.#told.set(key, told);
    for (const { kind, error } of findings) {
      const fields = { tenantId: store.tenant, queue: binding.physicalQueue };
      const message = describeError(error, this.#services.lang);
      this.#services.log.warn(kind === 'refusal' ? 'binding.refused' : 'binding.doubted', { ...fields, message });
      noteInSystemLog(store, message);
    }
  }

  #report(store: TenantStore, refusals: readonly BindingRefusal[]): void {
    const tenant = store.tenant.toLowerCase();
    const known = new Set((this.#refusals.get(tenant) ?? []).map(refusalText));
    this.#refusals.set(tenant, [...refusals]);
    for (const refusal of refusals.filter((candidate) => !known.has(refusalText(candidate)))) {
      const message = describeError(refusal.error, this.#services.lang);
      this.#services.log.warn('binding.refused', { tenantId: store.tenant, queue: refusal.queue, message });
      noteInSystemLog(store, message);
    }
  }
}

/** Where the platform's people look (mq-mqtt.md 5.2). */
function noteInSystemLog({ journal }: TenantStore, content: string): void {
  journal.sysLog({ type: 'MQ', title: 'InvalidConsumerConfiguration', content, level: 2, eventId: '', runId: '' });
}

function keyOf(store: TenantStore, binding: Binding): string {
  return `${store.tenant.toLowerCase()}|${binding.physicalQueue}`;
}

function refusalText(refusal: BindingRefusal): string {
  return JSON.stringify([refusal.id, refusal.queue, refusal.error]);
}
