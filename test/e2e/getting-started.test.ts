/** The pages for the first hour are true: their files are written, their commands run, their outputs compared. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { paste, StartedProduct } from '../support/started-product.ts';
import { tempDir } from '../support/temp-dir.ts';

const PAGES = [
  // The English page starts its host with these; the test does not wait 15 s for the binding that is made by hand.
  { page: 'getting-started.md', lang: 'en_US.UTF-8', env: { V8HOST_LANG: 'en', V8HOST_DEMO: 'true' } },
  { page: 'getting-started.zh-CN.md', lang: 'zh_CN.UTF-8', env: { V8HOST_DEMO: 'true' } },
];

/** A fenced block: what kind, the file it is to be written to, its text. */
interface Block {
  readonly kind: string;
  readonly file: string;
  readonly text: string;
}

for (const { page, lang, env } of PAGES) {
  test(`docs/${page} prints what it says`, async (t) => {
    const cwd = tempDir(t);
    const host = new StartedProduct(t, cwd, {
      env: { ...env, LANG: lang, V8HOST_RECONCILE_SECONDS: '1', V8HOST_HTTP_PORT: '0' },
    });
    await host.banner();
    const blocks = blocksOf(page);
    let outputs = 0;
    for (const [index, block] of blocks.entries()) {
      const next = blocks[index + 1];
      const expected = next?.kind === 'text' ? next.text : undefined;
      if (expected !== undefined) outputs += 1;
      await perform(block, expected, cwd, lang);
    }
    assert.ok(outputs >= 9, `${outputs} outputs were compared`);
    await host.stop();
  });
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(([, kind = '', file = '', body = '']) => ({
    kind,
    file,
    text: body,
  }));
}

async function perform(block: Block, expected: string | undefined, cwd: string, lang: string): Promise<void> {
  if (block.file !== '') return writeScript(join(cwd, block.file), block.text);
  if (block.kind === 'sql') {
    // The step before has this file deleted.
    rmSync(join(cwd, 'my-scripts/oops.js'));
    return runSql(join(cwd, 'data/tenants/demo.db'), block.text);
  }
  if (block.kind !== 'sh' || block.text.includes('npm ')) return;
  const run = () => paste(block.text, cwd, { LANG: lang });
  if (expected === undefined) return assert.equal((await run()).code, 0, block.text);
  const check = async () => {
    const { out, err } = await run();
    assert.equal(masked(`${out}${err}`), masked(expected), block.text);
  };
  // What a command reads may still be under way; what it changes is changed once.
  if (!/^npx v8host (run|trace|dead-letters list)/.test(block.text)) return check();
  await eventually(check, 60_000);
}

function writeScript(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function runSql(file: string, statement: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  database.exec(statement);
  database.close();
}

/** Without what differs from run to run: times, durations, versions, and the widths that they take. */
function masked(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?/g, 'TIME')
    .replaceAll(/@[0-9a-f]{12}/g, '@VERSION')
    .replaceAll(/\b\d+ ms/g, 'N ms')
    .replaceAll(/ +/g, ' ')
    .trim();
}
