import { setTimeout as sleep } from 'node:timers/promises';
import type { Deed } from './day-plan.ts';
import type { DeviceFleet } from './device-fleet.ts';
import type { Factory, Plant } from './factory.ts';
import { deedKey, type LoadNotes } from './load-notes.ts';

const GIVE_UP_MS = 120_000;

/** Does what a device, a shop or a person of the plan does, and notes how long it took. */
export class Actors {
  readonly #factory: Factory;
  readonly #fleet: DeviceFleet;
  readonly #notes: LoadNotes;

  constructor(factory: Factory, fleet: DeviceFleet, notes: LoadNotes) {
    this.#factory = factory;
    this.#fleet = fleet;
    this.#notes = notes;
  }

  /** Never rejects: what is given up is noted. */
  async act(deed: Deed): Promise<void> {
    const { kind, tenant, id } = deed;
    const begun = Date.now();
    if (kind !== 'call') this.#notes.begunAt.set(deedKey(tenant, id), begun);
    try {
      await this.#do(deed);
      const atMs = begun - this.#notes.startedAt;
      this.#notes.timings.push({ kind, stage: 'accepted', tenant, atMs, tookMs: Date.now() - begun });
    } catch (error) {
      this.#notes.refused.push(`${deedKey(tenant, id)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #do(deed: Deed): Promise<void> {
    const { tenant, id } = deed;
    switch (deed.kind) {
      case 'telemetry':
        return this.#fleet.publish(tenant, deed.device, `telemetry/machine-${deed.device}`, id, deed.device);
      case 'alarm':
        return this.#fleet.publish(tenant, deed.device, `alarms/machine-${deed.device}`, id, deed.device);
      case 'order': {
        const message = { Lines: [{ Sku: deed.sku, Qty: deed.qty }], Erp: deed.toErp };
        const copies = Array.from({ length: deed.copies }, () => this.#send(tenant, 'orders', id, message));
        await Promise.all(copies);
        return;
      }
      case 'label':
        return this.#send(tenant, 'labels', id, { Text: id });
      case 'poison':
        if (deed.how === 'loop') return this.#send(tenant, 'labels', id, { Endless: true });
        return this.#send(tenant, 'orders', id, { Note: 'an order without lines' });
      case 'call':
        return this.#call(this.#plant(tenant), deed.what);
    }
  }

  /** Repeats until it is accepted, always with the same EventId, as a careful producer does. */
  async #send(tenant: number, queue: string, id: string, message: unknown): Promise<void> {
    const path = `tenants/${this.#plant(tenant).tenant}/queues/${queue}/messages`;
    for (const deadline = Date.now() + GIVE_UP_MS; ; await sleep(200)) {
      const answer = await this.#factory.host.apiPatiently('POST', path, { EventId: id, Message: message });
      if (answer.body.Code === 1) return;
      if (answer.status !== 503 || Date.now() > deadline) throw new Error(`${answer.status} ${answer.body.Msg}`);
    }
  }

  /** A person looks at something. It is not repeated: a page that fails has failed. */
  async #call({ tenant, key }: Plant, what: 'engine' | 'rows'): Promise<void> {
    const base = `http://127.0.0.1:${this.#factory.host.port}`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const query = `OsClient=${tenant}&Sku=P-1`;
    const answer =
      what === 'engine'
        ? await fetch(`${base}/apiengine/stock-show?${query}`, { headers, signal: AbortSignal.timeout(60_000) })
        : await fetch(`${base}/api/formengine/GetTableData`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ FormEngineKey: 'plant_order', _PageIndex: 1, _PageSize: 20 }),
            signal: AbortSignal.timeout(60_000),
          });
    const { Code, Msg } = (await answer.json()) as { Code: number; Msg: string };
    if (Code !== 1) throw new Error(`${answer.status} ${Msg}`);
  }

  #plant(tenant: number): Plant {
    const plant = this.#factory.plants[tenant];
    if (plant === undefined) throw new Error(`no tenant ${tenant}`);
    return plant;
  }
}
