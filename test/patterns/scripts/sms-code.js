/**
 * Makes a code for a telephone number, at most one a minute. Anybody may call it.
 *
 * @engineKey sms-code
 * @anonymous
 */
var phone = String(V8.Param.Phone || '');
if (!/^1[3-9]\d{9}$/.test(phone)) return { Code: 0, Msg: 'no telephone number' };
if (V8.Cache.Exists('sms:wait:' + phone)) return { Code: 0, Msg: 'once a minute' };
var code = String(Math.floor(Math.random() * 900000) + 100000);
V8.Cache.Set('sms:code:' + phone, code, 300);
V8.Cache.Set('sms:wait:' + phone, '1', 60);
return { Code: 1, Data: { Anonymous: JSON.stringify(V8.CurrentUser) === '{}', Digits: code.length } };
