import type { RunCaps } from '../../core/run-load.ts';
import type { Log } from '../../ports/log.ts';
import type { LaneCommand } from './lane-command.ts';

/** What a pool of lanes is made of. */
export interface LanePoolOptions {
  /** Runs at once. One more lane is kept apart: for what is on probation, and in place of a killed one. */
  readonly lanes: number;
  /** Lanes that one tenant may hold while there are others; one less than there are unless given. */
  readonly maxLanesPerTenant?: number;
  /** Runs at once of the host, a tenant and an engine; DEFAULT_RUN_CAPS unless given. */
  readonly caps?: RunCaps;
  /** CPU time that a tenant gains in one second; it counts while there are others. Half of the processors unless given. */
  readonly cpuMsPerSecond?: number;
  /** CPU time that a tenant can save, and owe at most; 30 s unless given. */
  readonly cpuBurstMs?: number;
  /** Processors; those of the machine unless given. One run more than that is at work at once. */
  readonly processors?: number;
  /** Resident memory at which a lane is killed, in MiB. A run's own `rssMb` counts where it is lower. */
  readonly rssMb: number;
  /** IANA name; the local time of scripts. */
  readonly timezone: string;
  readonly log: Log;
  /** Told when a lane was killed or died, with the error code. */
  readonly onKilled?: (reason: string) => void;
  /**
   * Set for strict mode: a lane serves one tenant from its first run to its end, interprets its scripts, and is
   * replaced when it has been at rest for so long. Milliseconds.
   */
  readonly strictIdleMs?: number;
  /** How a lane is started; `laneCommand` unless given. */
  readonly command?: LaneCommand;
}
