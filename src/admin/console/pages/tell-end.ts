import { ElMessage } from 'element-plus';
import { sentenceOf } from '../api/load.ts';
import { COMMON } from '../text/common.ts';
import { language } from '../text/text.ts';

/** Does something and tells people how it ended. @returns true when it was done. */
export function tellEnd(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => {
      ElMessage.success(COMMON[language.value].done);
      return true;
    },
    (thrown: unknown) => {
      ElMessage.error({ message: sentenceOf(thrown), duration: 8000, showClose: true });
      return false;
    },
  );
}
