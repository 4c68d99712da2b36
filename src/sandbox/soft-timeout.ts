/** Beyond this a soft timeout costs more than it saves: every entry leaves 195 bytes in the library's timer queue until its time. */
const LONGEST_MS = 15_000;

/**
 * Wall time after which isolated-vm ends one entry into script code; it stands still during host calls. It spares
 * the lane in most cases, but is not certain: the host's watchdog is.
 * @returns undefined when the CPU limit is too long for a soft timeout.
 */
export function softTimeoutMs(cpuMs: number): number | undefined {
  const timeout = Math.ceil(cpuMs * 1.25);
  return timeout <= LONGEST_MS ? timeout : undefined;
}

/**
 * Whether a run that was ended softly had no fair chance. The timeout is wall time: on a crowded machine it comes
 * before the script has used its CPU, and a loop and a patient script look the same. A run that has not spoken (no
 * host call, no log) can be run again by true CPU time, which only the host's watchdog knows; one that has cannot.
 */
export function wasStarved(usedCpuMs: number, cpuMs: number, spoke: boolean): boolean {
  return !spoke && usedCpuMs < cpuMs * 0.8;
}
