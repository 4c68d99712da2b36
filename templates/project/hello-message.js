/**
 * 处理队列 hello 的消息：同一 EventId 只生效一次。 Handles messages of the queue hello: each EventId takes effect once.
 *   v8host send hello '{"Name":"Li"}' --event-id hello-1
 *
 * @queue hello
 * @retry 3
 */

return V8.ApiEngine.Run('hello', { Name: V8.Param.Message.Message.Name }, V8.DbTrans);
