/**
 * Notes each message that was sent on.
 * @queue chaos.onward
 * @retry 50
 * @backoff fixed:100ms
 */
return V8.FormEngine.AddFormData('chaos_onward', { EventId: V8.Param.EventId });
