import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const PAGES = ['README.md', 'README.zh-CN.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (path) => path.endsWith('.md'),
);

/** `[text](target)` and `![text](target)`, outside of code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
}

test('a link is found in prose and not in code', () => {
  const page = 'a [b](c.md#d) ![e](f.png)\n```\n[g](h.md)\n```\n`[i](j.md)` [k](https://l/m)\n';
  assert.deepEqual(linksOf(page), ['c.md#d', 'f.png', 'https://l/m']);
});

test('pages of the documentation link to files that are there', () => {
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const link of linksOf(text).filter((target) => !/^(https?:|#|mailto:)/.test(target))) {
      const file = join(ROOT, dirname(page), link.replace(/#.*$/, ''));
      assert.ok(existsSync(file), `${page}: ${link}`);
    }
  }
});

test('each page in Chinese stands beside one in English', () => {
  for (const page of PAGES.filter((path) => path.endsWith('.zh-CN.md'))) {
    assert.ok(PAGES.includes(page.replace('.zh-CN', '')), page);
  }
});
