/**
 * Takes the code that the provider sent, once for each state, and shows who came.
 *
 * @engineKey oauth-callback
 * @anonymous
 * @response html
 * @lock state
 */
(function () {
  var key = 'oauth:' + V8.Param.state;
  var pending = V8.Cache.Get(key);
  if (typeof pending !== 'string') {
    V8.Result = '<h1>expired</h1>';
    return;
  }
  V8.Cache.Remove(key);
  var token = V8.Http.PostResponse({
    Url: V8.Param.provider + '/token',
    PostParam: { grant_type: 'authorization_code', code: V8.Param.code }
  });
  if (token.StatusCode !== 200) {
    V8.Result = '<h1>refused: ' + token.StatusCode + '</h1>';
    return;
  }
  var text = V8.Http.Get({
    Url: V8.Param.provider + '/profile',
    Headers: { Authorization: 'Bearer ' + JSON.parse(token.Content).access_token }
  });
  var profile = JSON.parse(text);
  V8.FormEngine.AddFormData('visitor', { Account: profile.login, Stars: profile.stars }, V8.DbTrans);
  V8.Result = '<h1>Hello ' + profile.login + '</h1>';
})();
