/**
 * `npm run bench -- formengine`: a script that reads a row and writes it back in the platform transaction, against the
 * same two statements of mysql2 in one transaction, 16 in flight, in turns. Absolute rates are noise on shared machines;
 * the ratio counts. Both sides have a transaction, because a run is one (delivery.md 3.1): two statements that commit by
 * themselves would leave half of the work behind when the second fails, which is not the same job.
 *
 *   BENCH_RUNS=2000 BENCH_ROUNDS=3 BENCH_LANES=16
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { startMariaDb } from '../support/services/mariadb.ts';
import { TestHost } from '../support/test-host.ts';
import { median, reportBars } from './bars.ts';
import { cpuTime } from './cpu-time.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 2_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const IN_FLIGHT = 16;
/** A lane waits for its host calls, so as many as there are runs in flight. */
const LANES = Number(process.env.BENCH_LANES ?? IN_FLIGHT);
const TARGET = 0.6;

/** More rows than runs in flight: they meet on a row now and then, as in life. */
const STOCK_ROWS = 500;

const SCRIPT = `
var found = V8.FormEngine.GetFormData('bench_stock', { Id: V8.Param.Id }, V8.DbTrans);
if (found.Code !== 1) return found;
var changed = V8.FormEngine.UptFormData('bench_stock', { Id: V8.Param.Id, Stock: found.Data.Stock + 1 }, V8.DbTrans);
return changed.Code === 1 && changed.DataCount === 1 ? { Code: 1 } : { Code: 0, Msg: changed.Msg };
`;

await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  for (const name of ['maria', 'data']) mkdirSync(join(dir, name));
  const maria = await startMariaDb(join(dir, 'maria'));
  const url = await createSchema(maria.url);
  const host = await openHost(join(dir, 'data'), url);
  const pool = mysql.createPool({ uri: url, connectionLimit: IN_FLIGHT });
  try {
    const value = await compare(host, pool);
    reportBars([{ name: 'formengine-16', value, target: TARGET }]);
  } finally {
    await pool.end();
    await host.close();
    await maria.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function createSchema(serverUrl: string): Promise<string> {
  const admin = await mysql.createConnection({ uri: serverUrl });
  await admin.query('CREATE DATABASE bench CHARACTER SET utf8mb4');
  await admin.end();
  return new URL('/bench', serverUrl).href;
}

async function openHost(dataDir: string, databaseUrl: string): Promise<TestHost> {
  const host = await TestHost.open(dataDir, { databaseUrl, lanes: LANES });
  const rows = Array.from({ length: STOCK_ROWS }, (_, i) => ({ Id: `row-${i}`, Stock: 0 }));
  await host.push({ 'bench.js': SCRIPT }, [
    { Name: 'bench_stock', Fields: [{ Name: 'Stock', Type: 'int' }], Rows: rows },
  ]);
  return host;
}

async function compare(host: TestHost, pool: mysql.Pool): Promise<number> {
  await rate(RUNS / 4, (id) => runScript(host, id));
  await rate(RUNS / 4, (id) => runByHand(pool, id));
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const byHand = await measured((id) => runByHand(pool, id));
    const ours = await measured((id) => runScript(host, id));
    ratios.push(ours.rate / byHand.rate);
    const ratio = (ours.rate / byHand.rate).toFixed(2);
    process.stdout.write(`round ${round}: by hand ${byHand.text}; script ${ours.text}; ratio ${ratio}\n`);
  }
  return median(ratios);
}

/** One measurement, with what a run costs here; the database's own share is the same for both. */
async function measured(run: (id: string) => Promise<void>): Promise<{ rate: number; text: string }> {
  const before = cpuTime();
  const perSecond = await rate(RUNS, run);
  const after = cpuTime();
  const [host, lanes] = [after.host - before.host, after.lanes - before.lanes].map((ms) => (ms / RUNS).toFixed(2));
  return { rate: perSecond, text: `${perSecond.toFixed(0)}/s (CPU per run ${host} ms here, ${lanes} ms in lanes)` };
}

/** Runs per second with 16 in flight. */
async function rate(runs: number, run: (id: string) => Promise<void>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const worker = async () => {
    for (let i = next++; i < runs; i = next++) await run(`row-${i % STOCK_ROWS}`);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return runs / ((performance.now() - startedAt) / 1000);
}

async function runScript(host: TestHost, id: string): Promise<void> {
  const result = (await host.host.services.run('demo', 'bench', { Id: id }, 'en')) as { Code: number };
  if (result.Code !== 1) throw new Error(JSON.stringify(result));
}

async function runByHand(pool: mysql.Pool, id: string): Promise<void> {
  const db = await pool.getConnection();
  try {
    await db.query('BEGIN');
    const [rows] = await db.execute<mysql.RowDataPacket[]>('SELECT * FROM bench_stock WHERE Id = ?', [id]);
    await db.execute('UPDATE bench_stock SET Stock = ?, UpdateTime = NOW() WHERE Id = ?', [rows[0]?.Stock + 1, id]);
    await db.query('COMMIT');
  } catch (error) {
    await db.query('ROLLBACK');
    throw error;
  } finally {
    db.release();
  }
}
