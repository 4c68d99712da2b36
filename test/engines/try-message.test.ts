/** A trial on MariaDB: its transaction is rolled back like the one on a file. */
import { test } from 'node:test';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { assertTrialOfWork } from '../support/trial-check.ts';
import { TRIAL_SCRIPTS, TRIAL_TABLES } from '../support/trial-scripts.ts';

test('a trial on MariaDB shows every effect and leaves none', async (t) => {
  const database = await freshDatabase();
  const host = await TestHost.open(tempDir(t), { databaseUrl: database.url });
  t.after(() => host.close());
  await host.push(TRIAL_SCRIPTS, TRIAL_TABLES);
  await host.host.start();
  await assertTrialOfWork(host);
});
