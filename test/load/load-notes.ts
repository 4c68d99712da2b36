import type { DeedKind } from './day-plan.ts';

/** What was measured. `accepted` ends when the host has answered, `done` when the effect was written. */
export type Stage = 'accepted' | 'done';

/** One measured deed. */
export interface Timing {
  readonly kind: DeedKind | 'shipment' | 'erp';
  readonly stage: Stage;
  readonly tenant: number;
  /** When it began, from the start of the load. Milliseconds. */
  readonly atMs: number;
  readonly tookMs: number;
}

/** A reading of the host's processes. */
export interface UseSample {
  readonly atMs: number;
  readonly hostMib: number;
  /** All lanes, shared pages counted once. */
  readonly lanesMib: number;
  readonly lanes: number;
  /** Since the sample before, in percent of one core. */
  readonly hostCpu: number;
  readonly lanesCpu: number;
}

/** What befell, as it was done. */
export interface Event {
  readonly atMs: number;
  readonly what: string;
}

/** Everything that is noted while a load runs. */
export class LoadNotes {
  readonly timings: Timing[] = [];
  readonly samples: UseSample[] = [];
  readonly events: Event[] = [];
  /** Deeds that were given up, with the last answer; each is a fault. */
  readonly refused: string[] = [];
  /** How late the generator itself began deeds. Milliseconds. */
  readonly lateMs: number[] = [];
  /** When each deed with an effect began, by tenant and EventId, in wall time of the machine. */
  readonly begunAt = new Map<string, number>();
  readonly startedAt = Date.now();

  /** From the start of the load. Milliseconds. */
  now(): number {
    return Date.now() - this.startedAt;
  }
}

export function deedKey(tenant: number, id: string): string {
  return `${tenant} ${id}`;
}
