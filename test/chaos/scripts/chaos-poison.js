/**
 * Does half of its work and then hangs, crashes its process or throws.
 * @queue chaos.poison
 * @retry 1
 * @backoff fixed:100ms
 * @timeout 2s
 */
V8.FormEngine.AddFormData('chaos_effect', { EventId: V8.Param.EventId, Engine: V8.ApiEngineKey });
V8.MQ.SendMsg({ QueueName: 'chaos.onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
var kind = V8.Param.Message.Message.Kind;
if (kind === 'loop') while (true) {}
if (kind === 'crash') 'x'.repeat(2 ** 28).split('');
throw new Error('poison');
