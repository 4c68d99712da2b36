/**
 * `npm run bench -- inbox`: whether an inbox of five million rows is as fast as one of ten thousand, on MariaDB and on
 * SQLite: transactions that claim a new event and commit, looks at an event that is done, and claims beside the retention
 * that takes old rows away. The small and the large inbox are measured in turns, in databases of their own.
 *
 *   BENCH_INBOX_ROWS=5000000 BENCH_ROUNDS=5 BENCH_SECONDS=3
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startMariaDb } from '../support/services/mariadb.ts';
import { type Bar, median, percentile, reportBars } from './bars.ts';
import { filledId, freshId, type InboxPlace, openMariaDbInbox, openSqliteInbox, QUEUE } from './inbox-place.ts';

const ROWS = Number(process.env.BENCH_INBOX_ROWS ?? 5_000_000);
const SMALL_ROWS = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROUND_MS = Number(process.env.BENCH_SECONDS ?? 3) * 1_000;

/** Of a large inbox's rate in the small one's: within two times. */
const RATE_TARGET = 0.5;
/** Of the claims beside the retention in those without it. */
const PURGE_TARGET = 0.5;
/** Of a hundred claims beside the retention 99 take no longer. Milliseconds. */
const PURGE_WAIT_MS = 1_000;
/** Part of the rows that retention finds too old. */
const EXPIRED = 0.05;

const DAY_MS = 24 * 3_600_000;
const RETENTION = {
  deadLettersMs: 30 * DAY_MS,
  inboxMs: 37 * DAY_MS,
  attemptsMs: 30 * DAY_MS,
  logsMs: 14 * DAY_MS,
  versionsMs: 365 * DAY_MS,
  auditMs: 365 * DAY_MS,
};

/** What claims of a while came to. */
interface Claims {
  readonly perSecond: number;
  /** Of each claim. Milliseconds. */
  readonly times: readonly number[];
}

/** Claims made so far: no two are of one event. */
let serial = 0;

await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  const dirOf = (name: string) => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  };
  try {
    const servers = [await startMariaDb(dirOf('maria-small')), await startMariaDb(dirOf('maria-large'))] as const;
    const bars = await compare(await openMariaDbInbox(servers[0].url), await openMariaDbInbox(servers[1].url));
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(join(dir, 'maria-large'), { recursive: true });
    bars.push(...(await compare(await openSqliteInbox(dirOf('small')), await openSqliteInbox(dirOf('large')))));
    reportBars(bars);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function compare(small: InboxPlace, large: InboxPlace): Promise<Bar[]> {
  const { name } = large;
  await small.fill(SMALL_ROWS, 0);
  const begun = performance.now();
  await large.fill(ROWS, ROWS * EXPIRED);
  say(name, `filled with ${ROWS} rows in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  const [claims, looks]: [number[], number[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const [few, many] = [await measure(small, claim), await measure(large, claim)];
    const [fewLooks, manyLooks] = [await measure(small, look), await measure(large, look)];
    claims.push(many.perSecond / few.perSecond);
    looks.push(manyLooks.perSecond / fewLooks.perSecond);
    const rates = `claims ${rate(few)} and ${rate(many)}, looks ${rate(fewLooks)} and ${rate(manyLooks)}`;
    say(name, `round ${round}: small and large: ${rates}`);
  }
  const { part, p99 } = await claimBesidePurge(large);
  await Promise.all([small.close(), large.close()]);
  return [
    { name: `inbox-${name}-claims`, value: median(claims), target: RATE_TARGET },
    { name: `inbox-${name}-duplicates`, value: median(looks), target: RATE_TARGET },
    { name: `inbox-${name}-claims-beside-purge`, value: part, target: PURGE_TARGET },
    { name: `inbox-${name}-purge-p99-ms`, value: p99, target: PURGE_WAIT_MS, atMost: true },
  ];
}

/** Claims while the retention takes the old rows away. @returns their part of the rate without it, and the 99th percentile of their times in milliseconds. */
async function claimBesidePurge(place: InboxPlace): Promise<{ part: number; p99: number }> {
  const alone = await measure(place, claim);
  const begun = performance.now();
  let removed: number | undefined;
  const purge = place.store.purge(RETENTION).then((rows) => {
    removed = rows;
  });
  const beside = await measure(place, claim, () => removed === undefined);
  await purge;
  const seconds = (performance.now() - begun) / 1_000;
  if (removed !== place.filled() * EXPIRED) throw new Error(`retention took ${removed} rows away`);
  const longest = beside.times.reduce((most, ms) => Math.max(most, ms), 0);
  const p99 = percentile(beside.times, 99);
  say(place.name, `retention took ${removed} rows away in ${seconds.toFixed(1)} s`);
  const waits = `99 % within ${p99.toFixed(0)} ms, the longest ${longest.toFixed(0)} ms`;
  say(place.name, `claims without it ${rate(alone)}, beside it ${rate(beside)}, ${waits}`);
  return { part: beside.perSecond / alone.perSecond, p99 };
}

/** Does the work over and over, as many at once as the place allows. */
async function measure(
  place: InboxPlace,
  work: (place: InboxPlace) => Promise<void>,
  isOn: () => boolean = lasting(ROUND_MS),
): Promise<Claims> {
  const times: number[] = [];
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    while (isOn()) {
      const startedAt = performance.now();
      await work(place);
      times.push(performance.now() - startedAt);
      // A host hears its sockets and timers between two claims; SQLite alone would not let it.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: place.atOnce }, worker));
  return { perSecond: (times.length * 1_000) / (performance.now() - begun), times };
}

function lasting(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

/** A run of a new event without effects: the transaction, its inbox row, the commit. */
async function claim(place: InboxPlace): Promise<void> {
  const eventId = freshId(place.filled(), Math.random(), ++serial);
  const key = { queue: QUEUE, eventId, messageHash: 'b'.repeat(64) };
  const run = { attempt: 1, engineKey: 'order-intake', version: '0123456789ab', runId: '0'.repeat(26) };
  const tx = await place.store.begin(10_000);
  if ((await tx.claim({ ...key, ...run })) !== 'claimed') throw new Error(`${eventId} is there already`);
  await tx.commit({ claims: [{ ...key, resolveParked: false }], outbox: [] });
}

/** What a message that comes again costs. */
async function look(place: InboxPlace): Promise<void> {
  const eventId = filledId(Math.floor((EXPIRED + Math.random() * (1 - EXPIRED)) * place.filled()));
  const entry = await place.store.findInbox({ queue: QUEUE, eventId });
  if (entry?.status !== 'done') throw new Error(`${eventId} is not done`);
}

function rate({ perSecond }: Claims): string {
  return `${perSecond.toFixed(0)}/s`;
}

function say(name: string, line: string): void {
  process.stdout.write(`${name}: ${line}\n`);
}
