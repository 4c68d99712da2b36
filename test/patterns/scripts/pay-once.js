/**
 * Takes a payment once per payment number: a cheap look in the cache first, the unique row decides. Secrets are stored
 * encrypted, and a phone number is shown masked.
 *
 * @engineKey pay-once
 */
var no = V8.Param.PayNo;
var first = V8.Cache.SetIfNotExists('pay:' + no, V8.ApiEngineKey, 600);
if (first === false) return { Code: 1, Data: { Repeated: true, By: 'cache' } };
if (first !== true) return first;

var row = V8.FormEngine.AddFormData(
  'payment',
  { PayNo: no, Phone: V8.EncryptHelper.DESEncode(V8.Param.Phone), Amount: V8.Param.Amount },
  V8.DbTrans
);
if (row.ReasonCode === 'ROW_NOT_UNIQUE') return { Code: 1, Data: { Repeated: true, By: 'table' } };
if (row.Code !== 1) {
  V8.Cache.Remove('pay:' + no);
  return row;
}
var phone = V8.EncryptHelper.DESDecode(row.Data.Phone);
return {
  Code: 1,
  Data: {
    Repeated: false,
    Phone: phone.replace(/^(\d{3})\d{4}(\d+)$/, '$1****$2'),
    Plain: V8.EncryptHelper.DESDecode('not encrypted')
  }
};
