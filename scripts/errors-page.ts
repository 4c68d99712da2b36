import { ERROR_TABLE, type ErrorCode } from '../src/core/error-table.ts';
import type { Lang } from '../src/core/errors.ts';

const INTRODUCTION: Readonly<Record<Lang, string>> = {
  en: `# Errors

[中文](errors.zh-CN.md)

Generated from \`src/core/error-table.ts\` by \`npm run docs\`.

Every failure carries its code as \`ReasonCode\`, the same in both languages; a code is never used for anything else.

Retry: \`never\` the same input fails again; \`policy\` the binding's FailToReject and Count decide; \`always\` not the
message's fault, it comes again uncounted.
`,
  zh: `# 错误码

[English](errors.md)

由 \`npm run docs\` 根据 \`src/core/error-table.ts\` 生成，请勿手改。

每个失败都带有 \`ReasonCode\`，中英文相同；错误码一经发布不再挪作他用。

重试：\`never\` 同样的输入仍会失败；\`policy\` 由绑定的 FailToReject 和 Count 决定；\`always\` 不是消息的错，会再次投递且不计次数。
`,
};
const COLUMNS: Readonly<Record<Lang, string>> = {
  en: '| Code | HTTP | Retry | Sentence |',
  zh: '| 错误码 | HTTP | 重试 | 说明 |',
};

/** docs/errors.md and docs/errors.zh-CN.md: one row a code, with the parameters of its sentence in braces. */
export function renderErrorsPage(lang: Lang): string {
  const rows = Object.keys(ERROR_TABLE).map((code) => renderRow(code as ErrorCode, lang));
  return `${INTRODUCTION[lang]}\n${[COLUMNS[lang], '| --- | --- | --- | --- |', ...rows].join('\n')}\n`;
}

function renderRow(code: ErrorCode, lang: Lang): string {
  const { http, retry, [lang]: sentence } = ERROR_TABLE[code];
  return `| <a id="${code}"></a>\`${code}\` | ${http} | ${retry} | ${cell(sentence)} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', '<br>');
}
