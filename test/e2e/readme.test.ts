/** The transcript of the README is what the product prints, in both languages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDemoHost } from '../../scripts/readme/demo-host.ts';
import { recordTranscript, transcriptIn, withoutMoments, withTranscript } from '../../scripts/readme/transcript.ts';

const ROOT = join(import.meta.dirname, '../..');

for (const [lang, name] of [
  ['en', 'README.md'],
  ['zh', 'README.zh-CN.md'],
] as const) {
  test(`${name} shows what the commands print (npm run readme)`, { timeout: 240_000 }, async () => {
    const readme = readFileSync(join(ROOT, name), 'utf8');
    const recorded = await withDemoHost(lang, ({ run }) => recordTranscript(run));
    assert.equal(withoutMoments(transcriptIn(readme)), withoutMoments(recorded));
  });
}

test('a transcript goes between its marks and leaves the rest alone', () => {
  const page = 'a\n<!-- transcript: npm run readme -->\nold\n<!-- end of transcript -->\nb\n';
  const once = withTranscript(page, '$ x\n1\n');
  assert.equal(transcriptIn(once), '$ x\n1\n');
  assert.ok(once.startsWith('a\n<!--') && once.endsWith('-->\nb\n') && !once.includes('old'));
  assert.equal(withTranscript(once, '$ x\n1\n'), once);
  assert.throws(() => withTranscript('no marks', ''), /does not have/);
  assert.notEqual(withoutMoments('stock 98'), withoutMoments('stock 97'));
});
