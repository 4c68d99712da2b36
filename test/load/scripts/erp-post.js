/**
 * Tells the ERP about an order. A repeated request has the same Idempotency-Key.
 * @queue erp
 * @retry 200
 * @backoff exp:500ms..4s
 * @timeout 30s
 */
var setting = V8.FormEngine.GetFormData('plant_setting', { _Where: [['Name', '=', 'ErpUrl']] });
if (setting.Code !== 1) return setting;
var order = V8.Param.Message.Message.Of;
var answer = V8.Http.PostResponse({ Url: setting.Data.Value, ParamType: 'json', PostParam: { Order: order }, Timeout: 10 });
if (answer.StatusCode !== 200) return { Code: 0, Msg: 'ERP: ' + (answer.ErrorMessage || answer.StatusCode) };
return V8.FormEngine.AddFormData('plant_erp', { EventId: order, At: String(Date.now()) });
