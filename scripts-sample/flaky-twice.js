/**
 * 前两次失败、第三次成功：演示重试和退避。对方对每个 EventId 的前两次请求回答 503。
 * Fails twice and then succeeds, to show retries and backoff: the other side answers 503 to the first two requests of
 * each EventId.
 *   v8host send demo.flaky '{"OrderId":"F-1"}' --event-id flaky-1
 *
 * @apiName 前两次失败 / fails twice
 * @queue demo.flaky
 * @retry 5
 * @backoff fixed:1s
 */

const { EventId, Message: payload } = V8.Param.Message;

const setting = V8.FormEngine.GetFormData('shop_setting', { _Where: [['Name', '=', 'ErpUrl']] });
if (setting.Code !== 1 || !setting.Data.Value) {
  return { Code: 0, Msg: '请在 shop_setting 中填写 ErpUrl / set ErpUrl in shop_setting' };
}

const response = V8.Http.PostResponse({
  Url: `${setting.Data.Value}/flaky/${encodeURIComponent(EventId)}`,
  ParamType: 'json',
  PostParam: payload
});
if (response.StatusCode !== 200) {
  return { Code: 0, Msg: `对方暂不可用 / not available yet: ${response.ErrorMessage || response.StatusCode}` };
}

return V8.FormEngine.AddFormData('erp_call', {
  OrderId: payload && payload.OrderId,
  EventId,
  StatusCode: response.StatusCode,
  Answer: response.Content
});
