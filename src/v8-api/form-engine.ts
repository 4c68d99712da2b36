/** V8.FormEngine: rows of the tenant's own tables. */
import { getFormData, getTableData, getTableDataCount } from './form-engine-read.ts';
import { addFormData, delFormData, delFormDataByWhere, uptFormData, uptFormDataByWhere } from './form-engine-write.ts';
import { hostCall } from './host-call.ts';

export const FORM_ENGINE = {
  'FormEngine.GetFormData': hostCall(getFormData),
  'FormEngine.GetTableData': hostCall(getTableData),
  'FormEngine.GetTableDataCount': hostCall(getTableDataCount),
  'FormEngine.AddFormData': hostCall(addFormData),
  'FormEngine.UptFormData': hostCall(uptFormData),
  'FormEngine.UptFormDataByWhere': hostCall(uptFormDataByWhere),
  'FormEngine.DelFormData': hostCall(delFormData),
  'FormEngine.DelFormDataByWhere': hostCall(delFormDataByWhere),
} as const;
