/**
 * A member's own token, as the shop's front end sends it: in the parameters or in one of several headers.
 *
 * @engineKey member-token
 * @anonymous
 */
var header = V8.Header || {};
var token = V8.Param.MemberToken || header['member-token'] || header['Member-Token'] || header.membertoken || '';
token = String(token).replace(/^Bearer\s+/i, '');
if (!token) return { Code: 1001, Msg: 'who are you' };
var member = V8.FormEngine.GetFormData('member', { _Where: [['Token', '=', V8.EncryptHelper.Sha256Hex(token)]] });
if (member.Code !== 1) return { Code: 1001, Msg: 'who are you' };
return { Code: 1, Data: member.Data.Name };
