/**
 * A job's work: each row is claimed by a conditional update, so that two runs at once never do the same row.
 *
 * @engineKey job-claim
 */
var run = V8.Param.JobRunId;
var most = (V8.Param.JobParam && V8.Param.JobParam.Most) || 10;
var todo = V8.Db.FromSql("select Id from job_row where State = 'new' order by Id limit 50").ToArray();
var done = [];
for (var i = 0; i < todo.length && done.length < most; i++) {
  var mine = V8.Db.FromSql("update job_row set State = 'busy', RunBy = @run where Id = @id and State = 'new'")
    .AddInParameter('@run', run)
    .AddInParameter('@id', todo[i].Id)
    .ExecuteNonQuery();
  if (mine !== 1) continue;
  V8.FormEngine.UptFormData('job_row', { Id: todo[i].Id, State: 'done' });
  done.push(todo[i].Id);
}
V8.Method.AddSysLog({ Type: 'job', Title: run, Content: 'done ' + done.length });
return { Code: 1, Data: done };
