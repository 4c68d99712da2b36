import { UNSUPPORTED_FAMILIES } from '../src/protocol/unsupported-members.ts';
import { BEHAVIOUR_ROWS } from './compatibility/behaviour-rows.ts';
import { membersOf } from './compatibility/covered-members.ts';
import type { MemberRow, Note, TestName } from './compatibility/member-row.ts';
import { MEMBER_ROWS } from './compatibility/member-rows.ts';

type Lang = 'en' | 'zh';

const WORDS = {
  en: {
    other: '[中文](compatibility.zh-CN.md)',
    title: '# Compatibility with the Microi (吾码) script surface',
    made: 'Generated from `scripts/compatibility/` and `src/protocol/unsupported-members.ts` by `npm run docs`.',
    intro:
      'What a script of the platform finds here. Members that are on no list read as `undefined`, so that `typeof V8.Method.X === "function"` tells. Signatures and examples: [`runtime-types/v8.d.ts`](../runtime-types/v8.d.ts). Faults of the platform that are closed here: [platform-faults.md](platform-faults.md).',
    supported: '## Members that work',
    supportedHead: '| member | | what differs, and why | shown by |',
    unsupported: '## Members that answer `Code: 0`',
    unsupportedIntro:
      'They exist and answer `ReasonCode: "MEMBER_UNSUPPORTED"` with a sentence, so that a script fails where it calls them and not with “is not a function”.',
    unsupportedHead: '| member | instead |',
    behaviour: '## Rules',
    behaviourHead: '| | the platform | here | shown by |',
    status: { same: 'same', differs: 'differs', added: 'added', absent: 'undefined' },
  },
  zh: {
    other: '[English](compatibility.md)',
    title: '# 与 Microi（吾码）脚本接口的兼容性',
    made: '由 `npm run docs` 根据 `scripts/compatibility/` 和 `src/protocol/unsupported-members.ts` 生成，请勿手改。',
    intro:
      '平台脚本在本主机中能用到的内容。不在任何列表中的成员为 `undefined`，可用 `typeof V8.Method.X === "function"` 判断。签名和示例见 [`runtime-types/v8.d.ts`](../runtime-types/v8.d.ts)。原平台的缺陷及处理见 [platform-faults.zh-CN.md](platform-faults.zh-CN.md)。',
    supported: '## 可用的成员',
    supportedHead: '| 成员 | | 差异和原因 | 测试 |',
    unsupported: '## 返回 `Code: 0` 的成员',
    unsupportedIntro:
      '这些成员存在，返回 `ReasonCode: "MEMBER_UNSUPPORTED"` 和说明，脚本会在调用处得到明确的失败，而不是 “is not a function”。',
    unsupportedHead: '| 成员 | 替代办法 |',
    behaviour: '## 规则',
    behaviourHead: '| | 平台 | 本主机 | 测试 |',
    status: { same: '相同', differs: '有差异', added: '新增', absent: 'undefined' },
  },
} as const;

/** docs/compatibility.md: supported and unsupported members, and rules that differ, each with the test that shows it. */
export function renderCompatibilityPage(lang: Lang): string {
  const words = WORDS[lang];
  const members = [
    words.supportedHead,
    '| --- | --- | --- | --- |',
    ...MEMBER_ROWS.map((row) => memberLine(row, lang)),
  ];
  const missing = [
    words.unsupportedHead,
    '| --- | --- |',
    ...UNSUPPORTED_FAMILIES.map((row) => missingLine(row, lang)),
  ];
  const rules = BEHAVIOUR_ROWS.map(
    (row) =>
      `| ${noteIn(row.topic, lang)} | ${noteIn(row.platform, lang)} | ${noteIn(row.here, lang)} | ${testCell(row.test)} |`,
  );
  const parts = [
    [words.title],
    [words.other],
    [words.made],
    [words.intro],
    [words.supported],
    members,
    [words.unsupported],
    [words.unsupportedIntro],
    missing,
    [words.behaviour],
    [words.behaviourHead, '| --- | --- | --- | --- |', ...rules],
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function memberLine(row: MemberRow, lang: Lang): string {
  const names = membersOf(row).map((path) => (path.startsWith('::') ? `\`${path.slice(2)}\`` : `\`V8.${path}\``));
  const note = row.note === undefined ? '' : noteIn(row.note, lang);
  return `| ${names.join(' ')} | ${WORDS[lang].status[row.status]} | ${note} | ${testCell(row.test)} |`;
}

function missingLine({ family, members, instead, twins }: (typeof UNSUPPORTED_FAMILIES)[number], lang: Lang): string {
  const names = members.map((member) => `\`V8.${family}.${member}\`${twins ? ' (`…Async`)' : ''}`);
  const [zh = '', en = ''] = instead.split(' / ');
  return `| ${names.join(' ')} | ${lang === 'en' ? en : zh} |`;
}

function noteIn([en, zh]: Note, lang: Lang): string {
  return lang === 'en' ? en : zh;
}

function testCell([file, title]: TestName): string {
  return `[${title.replaceAll('|', '\\|')}](../${file})`;
}
