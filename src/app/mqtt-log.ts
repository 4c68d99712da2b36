import { coerceError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { redactPayload } from '../core/mqtt-redaction.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Row } from '../ports/table-store.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { MQTT_TABLES, newRow } from './mqtt-rows.ts';

/** A row of `mci_mqtt_log` (mq-mqtt.md 6.9). */
export interface MqttLogRecord {
  readonly clientId: string | null;
  readonly type: 'ServerStart' | 'ServerStop' | 'Connect' | 'Disconnect' | 'Subscribe' | 'Receive';
  readonly topic: string | null;
  readonly data: string | null;
}

const FLUSH_MS = 200;
/** Rows that a database did not take because it was away are tried again after this, whether or not more come. */
const RETRY_MS = 1_000;
const BATCH_ROWS = 200;
/** Rows that wait; more are dropped, the oldest first, and counted. */
const WAITING_ROWS = 10_000;
/** `Receive` rows of one tenant in one second; of a flood each hundredth more is kept. */
const FULL_RATE = 200;
const SAMPLE = 100;

export interface MqttLogServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

interface Backlog {
  readonly store: TenantStore;
  rows: Row[];
  dropped: number;
  second: number;
  inSecond: number;
}

/** The broker's log for each tenant: written in batches, apart from any run; an audit, which holds up nobody. */
export class MqttLog {
  readonly #services: MqttLogServices;
  readonly #backlogs = new Map<string, Backlog>();
  #timer: Promise<void> | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(services: MqttLogServices) {
    this.#services = services;
  }

  add(store: TenantStore, record: MqttLogRecord): void {
    const backlog = this.#backlogOf(store);
    if (record.type === 'Receive' && !this.#isKept(backlog)) return;
    const { clientId: ClientId, type: Type, topic: Topic, data: Data } = record;
    backlog.rows.push({ ...newRow(this.#services), ClientId, Type, Topic, Data });
    if (backlog.rows.length > WAITING_ROWS) {
      backlog.rows.shift();
      backlog.dropped++;
    }
    this.#hasEnded = false;
    this.#flushAfter(FLUSH_MS);
  }

  /** The row of a message; its payload without secrets, cut where it is long. */
  received(store: TenantStore, clientId: string, topic: string, payload: JsonObject): void {
    const { Payload, PayloadRaw } = redactPayload(payload);
    const data = JSON.stringify({ ClientId: clientId, Topic: topic, Payload, PayloadRaw });
    this.add(store, { clientId, type: 'Receive', topic, data });
  }

  /** Writes what waits. Never rejects. */
  flush(): Promise<void> {
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(async () => {
      for (const backlog of this.#backlogs.values()) await this.#write(backlog);
      const isWaiting = [...this.#backlogs.values()].some(({ rows }) => rows.length > 0);
      if (isWaiting && !this.#hasEnded) this.#flushAfter(RETRY_MS);
    });
    return this.#flushing;
  }

  /** Writes what waits a last time, until more is added. Never rejects. */
  end(): Promise<void> {
    this.#hasEnded = true;
    return this.flush();
  }

  #flushAfter(ms: number): void {
    this.#timer ??= this.#services.clock.sleep(ms).then(() => this.flush());
  }

  async #write(backlog: Backlog): Promise<void> {
    const { store, dropped } = backlog;
    backlog.dropped = 0;
    if (dropped > 0) this.#services.log.warn('journal.rows_dropped', { tenant: store.tenant, rows: dropped });
    while (backlog.rows.length > 0) {
      const rows = backlog.rows.splice(0, BATCH_ROWS);
      try {
        await store.relaxedTables.allOrNothing(async (tables) => {
          for (const row of rows) await tables.insert(MQTT_TABLES.log, row);
        });
      } catch (e) {
        const error = coerceError(e);
        const away = error.code === 'DB_BUSY' || error.code === 'DB_UNAVAILABLE';
        if (away) backlog.rows.unshift(...rows);
        this.#services.log.warn('journal.flush_failed', {
          tenant: store.tenant,
          rows: rows.length,
          kept: away,
          err: error,
        });
        return;
      }
    }
  }

  #isKept(backlog: Backlog): boolean {
    const second = Math.floor(this.#services.clock.now() / 1000);
    if (second !== backlog.second) Object.assign(backlog, { second, inSecond: 0 });
    backlog.inSecond++;
    return backlog.inSecond <= FULL_RATE || backlog.inSecond % SAMPLE === 0;
  }

  #backlogOf(store: TenantStore): Backlog {
    let backlog = this.#backlogs.get(store.tenant);
    if (backlog === undefined || backlog.store !== store) {
      backlog = { store, rows: [], dropped: 0, second: 0, inSecond: 0 };
      this.#backlogs.set(store.tenant, backlog);
    }
    return backlog;
  }
}
