/**
 * Never looks at a result: every Code 0 is ignored.
 * @queue chaos.careless
 * @retry 50
 * @backoff fixed:100ms
 */
V8.FormEngine.GetFormData('no_such_table', { Id: '1' });
V8.FormEngine.UptFormDataByWhere('chaos_stock', { Stock: 0 });
V8.FormEngine.AddFormData('chaos_effect', { EventId: V8.Param.EventId, Engine: V8.ApiEngineKey });
V8.FormEngine.UptFormData('chaos_stock', { Stock: 1 });
V8.MQ.SendMsg({ QueueName: 'microi.other.queue', EventId: 'stolen', Message: {} });
V8.MQ.SendMsg({ QueueName: 'chaos.onward', EventId: 'on-' + V8.Param.EventId, Message: { From: V8.Param.EventId } });
return { Code: 1 };
