/**
 * `npm run readme`: records the transcript of README.md and README.zh-CN.md from hosts that it starts, and takes the
 * picture of the console (docs/console.png). A test compares the transcript with what the product prints.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ConsolePage, startBrowser } from '../test/support/browser.ts';
import { HOST_TOKEN } from '../test/support/host-process.ts';
import { type DemoHost, withDemoHost } from './readme/demo-host.ts';
import { recordTranscript, withTranscript } from './readme/transcript.ts';

const ROOT = join(import.meta.dirname, '..');
const SCREEN = { width: 1_280, locale: 'en-GB' } as const;
const ORDERS = 24;

for (const [lang, name] of [
  ['en', 'README.md'],
  ['zh', 'README.zh-CN.md'],
] as const) {
  const file = join(ROOT, name);
  await withDemoHost(lang, async (demo) => {
    writeFileSync(file, withTranscript(readFileSync(file, 'utf8'), await recordTranscript(demo.run)));
    process.stdout.write(`${name}\n`);
    if (lang === 'en') await takePicture(demo);
  });
}

/** The overview of a tenant that has had something to do. */
async function takePicture({ host, run }: DemoHost): Promise<void> {
  for (let n = 0; n < ORDERS; n++) {
    await run(['run', 'order-intake', '--param', JSON.stringify({ OrderId: `B-${n}`, Sku: 'P-1', Qty: 1 })]);
  }
  const ends: (() => Promise<void>)[] = [];
  const browser = await startBrowser({ after: (end) => void ends.push(end) });
  try {
    const person = await ConsolePage.open(browser, `http://127.0.0.1:${host.port}`, SCREEN);
    await person.logIn(HOST_TOKEN);
    await person.visit('overview');
    await person.page.screenshot({ path: join(ROOT, 'docs/console.png') });
    process.stdout.write('docs/console.png\n');
  } finally {
    for (const end of ends) await end();
  }
}
