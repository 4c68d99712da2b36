import { z } from 'zod';
import { AppError, type Lang } from '../core/errors.ts';

/** Problems named in one refusal; a request with more is told about these first. */
const PROBLEMS_SHOWN = 5;

/**
 * Checks a request part against its schema.
 * @throws AppError REQUEST_INVALID naming each field's path and its rule in the caller's language.
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, part: string, lang: Lang): z.output<T> {
  const result = schema.safeParse(value, { error: (issue) => ruleInWords(issue, lang) });
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, PROBLEMS_SHOWN).map((issue) => ({
    field: fieldPath(part, issue),
    rule: issue.message,
  }));
  const [first, ...more] = problems;
  const rule = [first?.rule ?? '', ...more.map((problem) => `${problem.field}: ${problem.rule}`)].join('; ');
  throw new AppError('REQUEST_INVALID', { field: first?.field ?? part, rule });
}

/** Rules of our own carry their sentence in both languages; the others have the library's. */
export function ownRule(zh: string, en: string): { params: Readonly<Record<Lang, string>> } {
  return { params: { zh, en } };
}

const LIBRARY_WORDS = { zh: z.locales.zhCN().localeError, en: z.locales.en().localeError };

const NO_NUMBER: Readonly<Record<Lang, string>> = { zh: '须为数字', en: 'must be a number' };

function ruleInWords(issue: Parameters<typeof LIBRARY_WORDS.en>[0], lang: Lang): ReturnType<typeof LIBRARY_WORDS.en> {
  if (issue.code === 'custom') return String(issue.params?.[lang] ?? '');
  // A query is text: the library would tell people that it received NaN.
  if (issue.code === 'invalid_type' && Number.isNaN(issue.input)) return NO_NUMBER[lang];
  return LIBRARY_WORDS[lang](issue);
}

/** Such as `body.files[0].path`; an unknown key is named as the field itself. */
function fieldPath(part: string, issue: z.core.$ZodIssue): string {
  const path = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
}
