/**
 * Long work by slices: each does a page and says where the next one goes on. Here the slices follow one another as
 * messages; on the platform the background task runs them.
 *
 * @engineKey background-slices
 * @queue slices
 */
var param = V8.Param.Message ? V8.Param.Message.Message : V8.Param;
var size = 2;
var after = (param._BackgroundTaskCheckpoint && param._BackgroundTaskCheckpoint.After) || '';
var page = V8.FormEngine.GetTableData(
  'job_row',
  { _Where: [['Id', '>', after]], _OrderBy: 'Id', _PageIndex: 1, _PageSize: size },
  V8.DbTrans
);
if (page.Code !== 1) return page;
for (var i = 0; i < page.Data.length; i++) {
  V8.FormEngine.UptFormData('job_row', { Id: page.Data[i].Id, State: 'sliced' }, V8.DbTrans);
}
var last = page.Data.length === 0 ? after : page.Data[page.Data.length - 1].Id;
var hasMore = page.DataCount > page.Data.length;
var progress = V8.Method.UpdateBackgroundTask({ _BackgroundTaskId: param._BackgroundTaskId, Current: page.Data.length, Msg: last });
var checkpoint = { After: last };
if (hasMore && V8.Param.Message) {
  var sent = V8.MQ.SendMsg({ QueueName: 'slices', EventId: param._BackgroundTaskId + '-' + last, Message: { _BackgroundTaskId: param._BackgroundTaskId, _BackgroundTaskCheckpoint: checkpoint } });
  if (sent.Code !== 1) return sent;
}
return {
  Code: 1,
  Data: { BackgroundTask: { HasMore: hasMore, Checkpoint: checkpoint, Current: page.Data.length, Total: page.DataCount } },
  DataAppend: { Progress: progress.Code === 1 ? 'told' : progress.ReasonCode }
};
