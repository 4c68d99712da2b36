import { ElMessageBox } from 'element-plus';
import { COMMON } from '../text/common.ts';
import { language } from '../text/text.ts';

/** Asks before something that cannot be taken back. @param act what the button says that does it. */
export function ask(question: string, act: string): Promise<boolean> {
  // A screen reader names the dialog by its title.
  const words = { title: act, confirmButtonText: act, cancelButtonText: COMMON[language.value].cancel };
  return ElMessageBox.confirm(question, words).then(
    () => true,
    () => false,
  );
}
