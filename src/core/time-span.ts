const DAY_MS = 86_400_000;

const TIME_SPAN =
  /^(?:(?<days>\d{1,7})(?:\.|:(?=\d+:\d+:)))?(?<hours>\d{1,2}):(?<minutes>\d{1,2})(?::(?<seconds>\d{1,2})(?:\.(?<fraction>\d{1,7}))?)?$/;

/**
 * Reads a .NET TimeSpan text: `HH:mm`, `HH:mm:ss`, `d.HH:mm:ss`, `d.HH:mm:ss.fffffff`. A bare number, which .NET reads
 * as days and nobody means so, is refused. @returns milliseconds, undefined for anything else.
 */
export function parseTimeSpan(text: string): number | undefined {
  const groups = TIME_SPAN.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const [hours, minutes, seconds] = [groups.hours, groups.minutes, groups.seconds].map((part) => Number(part ?? 0));
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const fraction = Number(`0.${groups.fraction ?? 0}`);
  const inDay = ((hours * 60 + minutes) * 60 + seconds + fraction) * 1000;
  return Math.floor(Number(groups.days ?? 0) * DAY_MS + inDay);
}
