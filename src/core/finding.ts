import { describeError, type ErrorRecord, type Lang } from './errors.ts';

/** What `v8host doctor` looks at. */
export type FindingArea =
  | 'config'
  | 'data'
  | 'secrets'
  | 'ports'
  | 'sandbox'
  | 'database'
  | 'tenant'
  | 'queue'
  | 'cache'
  | 'documents'
  | 'mqtt'
  | 'clock'
  | 'host';

/** `problem` must be mended, `notice` should be known, `ok` was looked at and is as it should be. */
export type FindingLevel = 'ok' | 'notice' | 'problem';

/** One thing that was looked at. The text of a problem says what to change. It holds no secret and no payload. */
export interface Finding {
  readonly area: FindingArea;
  /** A tenant, an address, a path or a setting. */
  readonly subject: string;
  readonly level: FindingLevel;
  readonly text: Readonly<Record<Lang, string>>;
}

type Make = (area: FindingArea, subject: string, zh: string, en: string) => Finding;

const maker =
  (level: FindingLevel): Make =>
  (area, subject, zh, en) => ({ area, subject, level, text: { zh, en } });

export const fine = maker('ok');
export const notice = maker('notice');
export const problem = maker('problem');

/** A refusal as a finding: the error's own sentences say what to change. */
export function problemOf(area: FindingArea, subject: string, error: ErrorRecord): Finding {
  return problem(area, subject, describeError(error, 'zh'), describeError(error, 'en'));
}

/** Clocks further apart than this mislead people who compare times. Milliseconds. */
const CLOCK_APART_MS = 2_000;
/** Clocks further apart than this break what compares them: leases, the ends of logins, tokens of other hosts. Milliseconds. */
const CLOCK_BROKEN_MS = 30_000;

/** @param aheadMs how far the clock of the server at `subject` is ahead of this machine's. */
export function clockFinding(subject: string, aheadMs: number): Finding {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) <= CLOCK_APART_MS) {
    return fine('clock', subject, `与本机相差 ${seconds} 秒`, `${seconds} s apart`);
  }
  const [zh, en] = aheadMs > 0 ? ['快', 'ahead of'] : ['慢', 'behind'];
  return (Math.abs(aheadMs) > CLOCK_BROKEN_MS ? problem : notice)(
    'clock',
    subject,
    `其时钟比本机${zh} ${seconds} 秒：在两台机器上启用 NTP（chrony 或 systemd-timesyncd）。`,
    `its clock is ${seconds} s ${en} this machine's: run NTP (chrony or systemd-timesyncd) on both.`,
  );
}
