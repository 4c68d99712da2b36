import { median } from '../bench/bars.ts';

/** A reading of memory at a moment. */
export interface MemoryReading {
  /** From the start. Milliseconds. */
  readonly atMs: number;
  readonly mib: number;
}

/** So many medians stand for all readings: every pair of them is looked at. */
const GROUPS = 120;

const HOUR_MS = 3_600_000;

/**
 * How fast memory grows: the median of the slopes of all pairs (Theil and Sen), which a collection of garbage or a
 * single peak does not move. MiB per hour; NaN of fewer than two readings.
 */
export function slopePerHour(readings: readonly MemoryReading[]): number {
  const points = inGroups(readings);
  const slopes = points.flatMap((from, n) =>
    points.slice(n + 1).map((to) => ((to.mib - from.mib) / (to.atMs - from.atMs)) * HOUR_MS),
  );
  return median(slopes);
}

function inGroups(readings: readonly MemoryReading[]): MemoryReading[] {
  const size = Math.max(1, Math.ceil(readings.length / GROUPS));
  return Array.from({ length: Math.ceil(readings.length / size) }, (_, n) => {
    const group = readings.slice(n * size, (n + 1) * size);
    return { atMs: median(group.map(({ atMs }) => atMs)), mib: median(group.map(({ mib }) => mib)) };
  });
}
