/** V8.FormEngine: rows of the tenant's own tables. */
import { addTableData, delTableData, uptTableData } from './form-engine-batch.ts';
import { getFormData, getTableData, getTableDataCount } from './form-engine-read.ts';
import { getTableDataTree } from './form-engine-tree.ts';
import { addFormData, delFormData, delFormDataByWhere, uptFormData, uptFormDataByWhere } from './form-engine-write.ts';
import { hostCall } from './host-call.ts';

export const FORM_ENGINE = {
  'FormEngine.GetFormData': hostCall(getFormData),
  'FormEngine.GetTableData': hostCall(getTableData),
  'FormEngine.GetTableDataCount': hostCall(getTableDataCount),
  'FormEngine.GetTableDataTree': hostCall(getTableDataTree),
  'FormEngine.GetTableTree': hostCall(getTableDataTree),
  'FormEngine.AddFormData': hostCall(addFormData),
  'FormEngine.UptFormData': hostCall(uptFormData),
  'FormEngine.UptFormDataByWhere': hostCall(uptFormDataByWhere),
  'FormEngine.DelFormData': hostCall(delFormData),
  'FormEngine.DelFormDataByWhere': hostCall(delFormDataByWhere),
  'FormEngine.AddTableData': hostCall(addTableData),
  'FormEngine.AddFormDataBatch': hostCall(addTableData),
  'FormEngine.UptTableData': hostCall(uptTableData),
  'FormEngine.UptFormDataBatch': hostCall(uptTableData),
  'FormEngine.DelTableData': hostCall(delTableData),
  'FormEngine.DelFormDataBatch': hostCall(delTableData),
} as const;
