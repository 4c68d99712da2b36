import { ERROR_TABLE, type ErrorCode } from '../src/core/error-table.ts';

const INTRODUCTION = `# Errors / 错误码

Generated from \`src/core/error-table.ts\` by \`npm run docs\`. 由 \`npm run docs\` 生成，请勿手改。

Every failure carries its code as \`ReasonCode\`, the same in both languages; a code is never used for anything else.
每个失败都带有 \`ReasonCode\`，中英文相同；错误码一经发布不再挪作他用。

Retry / 重试: \`never\` the same input fails again / 同样的输入仍会失败; \`policy\` the binding's FailToReject and Count
decide / 由绑定的 FailToReject 和 Count 决定; \`always\` not the message's fault, it comes again uncounted /
不是消息的错，会再次投递且不计次数.
`;

/** docs/errors.md: one row a code, with the parameters of its sentence in braces. */
export function renderErrorsPage(): string {
  const header = ['| Code | HTTP | Retry | 中文 | English |', '| --- | --- | --- | --- | --- |'];
  const rows = Object.keys(ERROR_TABLE).map((code) => renderRow(code as ErrorCode));
  return `${INTRODUCTION}\n${[...header, ...rows].join('\n')}\n`;
}

function renderRow(code: ErrorCode): string {
  const { http, retry, zh, en } = ERROR_TABLE[code];
  return `| <a id="${code}"></a>\`${code}\` | ${http} | ${retry} | ${cell(zh)} | ${cell(en)} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', '<br>');
}
