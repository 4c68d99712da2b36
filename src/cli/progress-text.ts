import type { Lang } from '../core/errors.ts';
import { type Progress, type ProgressStep, percentDone } from '../core/progress.ts';

const STEPS: Readonly<Record<Lang, Readonly<Record<ProgressStep, string>>>> = {
  zh: {
    compare: '比较',
    check: '检查',
    store: '写入',
    copy: '复制',
    verify: '校验',
    restore: '恢复',
    migrate: '升级步骤',
    open: '租户',
    replay: '重放',
    purge: '清除',
  },
  en: {
    compare: 'compared',
    check: 'checked',
    store: 'stored',
    copy: 'copied',
    verify: 'verified',
    restore: 'restored',
    migrate: 'schema steps',
    open: 'tenants',
    replay: 'replayed',
    purge: 'purged',
  },
};

/** Such as `checked 60 of 240 (25 %) orders`. A step that only a newer host knows has its own name. */
export function progressText(progress: Progress, lang: Lang): string {
  const { step, done, total, subject } = progress;
  const word = STEPS[lang][step] ?? step;
  const percent = percentDone(progress);
  const share =
    lang === 'zh' ? `${word} ${done}/${total}（${percent}%）` : `${word} ${done} of ${total} (${percent} %)`;
  return subject === undefined ? share : `${share} ${subject}`;
}
