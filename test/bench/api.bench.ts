/**
 * `npm run bench -- api`: an engine called over HTTP against a bare fastify route that runs the same code where it
 * stands, both with 16 requests in flight, in turns. Each side is a process of its own; the load comes from this one.
 * Absolute rates are noise on shared machines; the ratio counts.
 *
 *   BENCH_CALLS=4000 BENCH_ROUNDS=5 BENCH_LANES=4
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import { ANSWER, ORDER } from './api/order-code.ts';
import { median, reportBars } from './bars.ts';
import { cpuTime } from './cpu-time.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 4_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const IN_FLIGHT = 16;
const TARGET = 0.5;
const SERVER = fileURLToPath(new URL('./api/server-process.ts', import.meta.url));

interface Side {
  readonly name: string;
  readonly pool: Pool;
  readonly pid: number;
  end(): Promise<void>;
}

await main();

async function main(): Promise<void> {
  const bare = await openSide('bare');
  const host = await openSide('host');
  try {
    for (const side of [bare, host]) await rate(side, CALLS / 2);
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [byHand, ours] = [await measured(bare), await measured(host)];
      ratios.push(ours.rate / byHand.rate);
      const ratio = (ours.rate / byHand.rate).toFixed(2);
      process.stdout.write(`round ${round}: bare ${byHand.text}; engine ${ours.text}; ratio ${ratio}\n`);
    }
    reportBars([{ name: 'api-16', value: median(ratios), target: TARGET }]);
  } finally {
    await Promise.all([bare.end(), host.end()]);
  }
}

async function openSide(name: 'bare' | 'host'): Promise<Side> {
  const flags = name === 'host' ? (process.env.BENCH_HOST_FLAGS ?? '').split(' ').filter(Boolean) : [];
  const child: ChildProcess = spawn(process.execPath, [...flags, SERVER, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
  const pool = new Pool(`http://127.0.0.1:${Number(line.toString())}`, { connections: IN_FLIGHT });
  return {
    name,
    pool,
    pid: child.pid ?? 0,
    end: async () => {
      await pool.close();
      const gone = once(child, 'exit');
      child.stdin?.end();
      await gone;
    },
  };
}

/** One measurement, with what a call costs the server and its lanes. */
async function measured(side: Side): Promise<{ rate: number; text: string }> {
  const before = cpuTime(side.pid);
  const perSecond = await rate(side, CALLS);
  const after = cpuTime(side.pid);
  const [server, lanes] = [after.host - before.host, after.lanes - before.lanes].map((ms) => (ms / CALLS).toFixed(3));
  return { rate: perSecond, text: `${perSecond.toFixed(0)}/s (CPU per call ${server} ms, in lanes ${lanes} ms)` };
}

/** Calls per second with 16 in flight; every answer is checked. */
async function rate({ name, pool }: Side, calls: number): Promise<number> {
  const path = name === 'host' ? '/apiengine/bench--OsClient--demo--' : '/apiengine/bench';
  const headers = { 'content-type': 'application/json' };
  let next = 0;
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    for (let i = next++; i < calls; i = next++) {
      const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: ORDER });
      const answer = await body.json();
      if (statusCode !== 200 || !isDeepStrictEqual(answer, ANSWER))
        throw new Error(`${name}: ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return calls / ((performance.now() - startedAt) / 1000);
}
