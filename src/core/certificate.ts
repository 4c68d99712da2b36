import { type Finding, type FindingArea, fine, notice, problem } from './finding.ts';

/** A certificate by what people must do about it. Times are milliseconds UTC. */
export interface Certificate {
  /** Its common name; empty where it has none. */
  readonly name: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A certificate as a TLS socket of Node tells of its peer, with those that signed it. */
export interface SentCertificate {
  readonly subject?: { readonly CN?: string | readonly string[] | undefined };
  readonly valid_from: string;
  readonly valid_to: string;
  readonly fingerprint256: string;
  /** Of an authority's own certificate itself. */
  readonly issuerCertificate?: SentCertificate | undefined;
}

/** A certificate that ends sooner than this should be renewed now. Milliseconds. */
const RENEW_MS = 30 * 86_400_000;

/** What a peer sent: its own certificate first, then those that signed it. */
export function certificateChain(first: SentCertificate): readonly Certificate[] {
  const chain = new Map<string, Certificate>();
  let sent: SentCertificate | undefined = first;
  while (sent?.valid_to !== undefined && !chain.has(sent.fingerprint256)) {
    const { subject, valid_from, valid_to } = sent;
    const name = [subject?.CN ?? ''].flat()[0] ?? '';
    chain.set(sent.fingerprint256, { name, startsAt: Date.parse(valid_from), endsAt: Date.parse(valid_to) });
    sent = sent.issuerCertificate;
  }
  return [...chain.values()];
}

/**
 * Whether a chain holds now, and for how long: the certificate that ends first counts, because with it the whole chain
 * ends. @param replace what to do about one that has ended, in both languages.
 */
export function certificateFinding(
  place: { readonly area: FindingArea; readonly subject: string },
  chain: readonly [Certificate, ...Certificate[]],
  now: number,
  replace: { readonly zh: string; readonly en: string },
): Finding {
  const { area, subject } = place;
  const first = chain.reduce((earliest, each) => (each.endsAt < earliest.endsAt ? each : earliest));
  const early = chain.find(({ startsAt }) => startsAt > now);
  if (first.endsAt <= now) {
    const [zh, en] = [
      `${nameOf(first)}已于 ${day(first.endsAt)} 过期`,
      `${nameIn(first)} ended on ${day(first.endsAt)}`,
    ];
    return problem(area, subject, `${zh}：${replace.zh}。`, `${en}: ${replace.en}.`);
  }
  if (early !== undefined) {
    const [zh, en] = [
      `${nameOf(early)}从 ${day(early.startsAt)} 起才有效`,
      `${nameIn(early)} begins on ${day(early.startsAt)}`,
    ];
    return problem(
      area,
      subject,
      `${zh}：检查本机时钟，或${replace.zh}。`,
      `${en}: check the clock of this machine, or ${replace.en}.`,
    );
  }
  const [zh, en] = [
    `${nameOf(first)}有效期至 ${day(first.endsAt)}`,
    `${nameIn(first)} holds until ${day(first.endsAt)}`,
  ];
  if (first.endsAt - now >= RENEW_MS) return fine(area, subject, zh, en);
  return notice(area, subject, `${zh}，请及时${replace.zh}。`, `${en}: ${replace.en} before that.`);
}

function nameOf({ name }: Certificate): string {
  return name === '' ? '证书' : `证书 ${name} `;
}

function nameIn({ name }: Certificate): string {
  return name === '' ? 'the certificate' : `the certificate ${name}`;
}

/** Such as `2026-12-30`, in UTC: Swedish writes dates as ISO 8601 does. */
function day(at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC' }).format(at);
}
