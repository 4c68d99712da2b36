/** The hourly purge on a host's real databases: in batches, of one tenant at a time, with its warnings. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { runRetention } from '../../src/app/purge-retention.ts';
import type { Retention, TenantDirectory, TenantStore } from '../../src/ports/tenant-store.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const RETENTION: Retention = {
  deadLettersMs: 30 * DAY_MS,
  inboxMs: 37 * DAY_MS,
  attemptsMs: 30 * DAY_MS,
  logsMs: 14 * DAY_MS,
  versionsMs: 365 * DAY_MS,
  auditMs: 365 * DAY_MS,
};

/** Runs the loop over a directory until the test ends. */
function startLoop(t: TestContext, directory: Pick<TenantDirectory, 'open'>) {
  const clock = new ManualClock();
  const log = new RecordingLog();
  const end = new AbortController();
  const services = { clock, log, directory: directory as TenantDirectory, retention: RETENTION };
  const loop = runRetention(services, end.signal);
  t.after(async () => {
    end.abort();
    await loop;
  });
  return { clock, log };
}

function addLogRows(dataDir: string, rows: number, time: string): void {
  const database = new DatabaseSync(join(dataDir, 'tenants', 'demo.db'), { timeout: 10_000 });
  const insert = database.prepare('INSERT INTO sys_log (Id, CreateTime, IsDeleted) VALUES (?, ?, 0)');
  database.exec('BEGIN');
  for (let n = 0; n < rows; n++) insert.run(`${time}-${n}`, time);
  database.exec('COMMIT');
  database.close();
}

test('rows beyond one batch go in one pass, younger ones stay, and a database that is away stops nobody', async (t) => {
  const dir = tempDir(t);
  const host = await TestHost.open(dir);
  t.after(() => host.close());
  addLogRows(dir, 2_500, '2001-01-01 00:00:00');
  addLogRows(dir, 3, '2999-01-01 00:00:00');
  const gone = { tenant: 'gone', bindings: { readAll: () => Promise.reject(new Error('away')) } };
  const away = { ...gone, purge: () => Promise.reject(new Error('away')) } as unknown as TenantStore;
  const { clock, log } = startLoop(t, { open: () => [away, host.store] });
  await eventually(async () => {
    await clock.advance(HOUR_MS);
    assert.deepEqual(
      log.of('retention.purged').map(({ fields }) => [fields.tenantId, fields.rows]),
      [['demo', 2_500]],
    );
  });
  assert.equal(
    (await host.rows('sys_log')).filter(({ CreateTime }) => String(CreateTime).startsWith('2999')).length,
    3,
  );
  assert.ok(log.of('task.failed').every(({ fields }) => fields.tenantId === 'gone'));
  assert.ok(log.of('task.failed').length >= 2);
});

test('a binding whose retries outlast a window is told once, with the setting and both times', async (t) => {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  const script = (queue: string, retries: number) =>
    `/**\n * @queue ${queue}\n * @retry ${retries}\n * @backoff fixed:1h\n */\nreturn { Code: 1 };\n`;
  await host.push({ 'patient.js': script('patient', 34 * 24), 'quick.js': script('quick', 3) });
  const { clock, log } = startLoop(t, host.adapters.directory);
  await eventually(async () => {
    await clock.advance(HOUR_MS);
    assert.ok(log.of('retention.window_short').length > 0);
  });
  for (let hour = 0; hour < 3; hour++) await clock.advance(HOUR_MS);
  assert.deepEqual(
    log.of('retention.window_short').map(({ level, fields }) => ({ level, ...fields })),
    [
      {
        level: 'warn',
        tenantId: 'demo',
        queue: 'microi.demo.patient',
        setting: 'retention.attemptDays',
        days: 30,
        redeliveryDays: 34,
      },
    ],
  );
});
