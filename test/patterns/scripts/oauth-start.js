/**
 * Sends the browser to the provider with a state that lives ten minutes. Written as older engines are.
 *
 * @engineKey oauth-start
 * @anonymous
 * @response html
 */
(function () {
  if (!V8.Param.Provider) {
    V8.Result = '<h1>Provider is missing</h1>';
    return;
  }
  var state = V8.Method.NewGuid().replace(/-/g, '');
  V8.Cache.Set('oauth:' + state, JSON.stringify({ At: V8.Action.GetTimestamp() }), '0.00:10:00');
  V8.Result = { RedirectUrl: V8.Param.Provider + '/authorize?state=' + state };
})();
