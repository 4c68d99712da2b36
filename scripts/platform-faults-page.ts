import type { Note, TestName } from './compatibility/member-row.ts';
import { ADMITTED_ROWS } from './platform-faults/admitted-rows.ts';
import type { FaultRow } from './platform-faults/fault-row.ts';
import { FORMER_ROWS } from './platform-faults/former-rows.ts';
import { FOUND_ROWS } from './platform-faults/found-rows.ts';
import { REPORTED_ROWS } from './platform-faults/reported-rows.ts';

type Lang = 'en' | 'zh';

const WORDS = {
  en: {
    title: '# Faults of the original platform, and what became of them here',
    other: '[中文](platform-faults.zh-CN.md)',
    made: 'Generated from `scripts/platform-faults/` by `npm run docs`.',
    intro:
      'Known faults of the Microi (吾码) platform’s queues and MQTT, and of systems like it, each with the test that shows that it is closed. What differs for scripts: [compatibility.md](compatibility.md).',
    head: '| | fault | here | shown by |',
  },
  zh: {
    title: '# 原平台的缺陷，以及本主机的处理',
    other: '[English](platform-faults.md)',
    made: '由 `npm run docs` 根据 `scripts/platform-faults/` 生成，请勿手改。',
    intro:
      'Microi（吾码）平台的队列和 MQTT，以及同类系统的已知缺陷，每一条都有测试证明已经关闭。脚本方面的差异见 [compatibility.zh-CN.md](compatibility.zh-CN.md)。',
    head: '| | 缺陷 | 本主机 | 测试 |',
  },
} as const;

const LISTS: readonly (readonly [heading: Note, rows: readonly FaultRow[]])[] = [
  [['Admitted by its documents', '其文档承认的'], ADMITTED_ROWS],
  [['Found in its source', '在其源码中发现的'], FOUND_ROWS],
  [['Mended there, and not to come back here', '原平台已修复、这里不得重现的'], FORMER_ROWS],
  [['Reported about systems like it', '同类系统的公开报告'], REPORTED_ROWS],
];

/** docs/platform-faults.md: every known fault with the test that shows it closed. */
export function renderPlatformFaultsPage(lang: Lang): string {
  const words = WORDS[lang];
  const lists = LISTS.flatMap(([heading, rows]) => [
    `## ${noteIn(heading, lang)}`,
    [words.head, '| --- | --- | --- | --- |', ...rows.map((row) => line(row, lang))].join('\n'),
  ]);
  return `${[words.title, words.other, words.made, words.intro, ...lists].join('\n\n')}\n`;
}

function line({ id, fault, here, shown }: FaultRow, lang: Lang): string {
  return `| ${id} | ${noteIn(fault, lang)} | ${noteIn(here, lang)} | ${shown.map(testLink).join('; ')} |`;
}

function noteIn([en, zh]: Note, lang: Lang): string {
  return lang === 'en' ? en : zh;
}

function testLink([file, title]: TestName): string {
  return `[${title.replaceAll('|', '\\|')}](../${file})`;
}
