/**
 * Follows the numbers of each chain: one that comes out of its turn is noted, and so is one that was left out.
 * @queue chaos.ordered
 * @orderKey Chain
 * @retry 50
 * @backoff fixed:100ms
 * @prefetch 4
 */
var step = V8.Param.Message.Message;
if (step.Number === 1) {
  var begun = V8.FormEngine.AddFormData('chaos_turn', { Chain: step.Chain, Last: 1 });
  if (begun.Code !== 1) return begun;
} else {
  var turned = V8.FormEngine.UptFormDataByWhere('chaos_turn', {
    _Where: [['Chain', '=', step.Chain], ['Last', '=', step.Number - 1]],
    Last: step.Number,
  });
  if (turned.Code !== 1) return turned;
  if (turned.DataCount !== 1) {
    var noted = V8.FormEngine.AddFormData('chaos_disorder', { EventId: V8.Param.EventId });
    if (noted.Code !== 1) return noted;
  }
}
// Now and then an attempt fails: the later ones of its chain must wait for it.
if (Math.random() < 0.05) return { Code: 0, Msg: 'not this time' };
var effect = V8.FormEngine.AddFormData('chaos_effect', { EventId: V8.Param.EventId, Engine: V8.ApiEngineKey });
if (effect.Code !== 1) return effect;
return V8.MQ.SendMsg({ QueueName: 'chaos.onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
