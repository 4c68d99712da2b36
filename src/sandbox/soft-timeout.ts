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
 * Whether a run that was ended softly may run again uncounted. The timeout is wall time: on a crowded machine it can
 * come before the script has used its CPU. Half is the line, because lanes alone never crowd each other that far out;
 * and a run that has called the host has had its effects.
 */
export function wasStarved(usedCpuMs: number, cpuMs: number, hostCalls: number): boolean {
  return hostCalls === 0 && usedCpuMs < cpuMs / 2;
}
