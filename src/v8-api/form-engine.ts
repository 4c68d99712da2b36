/** V8.FormEngine: rows of the tenant's own tables. */
import { addTableData, delTableData, saveBatch, uptTableData } from './form-engine-batch.ts';
import { addField, addTable, loadNotDiyTable, uptField } from './form-engine-design.ts';
import { getDiyTable, getFieldData, getSysConfig, getSysMenu } from './form-engine-metadata.ts';
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
  'FormEngine.SaveBatch': hostCall(saveBatch),
  'FormEngine.GetDiyTable': hostCall(getDiyTable),
  'FormEngine.GetDiyTableModel': hostCall(getDiyTable),
  'FormEngine.GetSysConfig': hostCall(getSysConfig),
  'FormEngine.GetSysMenu': hostCall(getSysMenu),
  'FormEngine.GetSysMenuModel': hostCall(getSysMenu),
  'FormEngine.GetFieldData': hostCall(getFieldData),
  'FormEngine.AddTable': hostCall(addTable),
  'FormEngine.AddField': hostCall(addField),
  'FormEngine.UptField': hostCall(uptField),
  'FormEngine.LoadNotDiyTable': hostCall(loadNotDiyTable),
} as const;
