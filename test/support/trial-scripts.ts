/** A handler with every kind of effect, and one table for each way of writing. */
export const TRIAL_SCRIPTS: Readonly<Record<string, string>> = {
  'work.js': `/**
 * @queue work
 * @retry 0
 */
var e = V8.Param.Message.Message;
V8.FormEngine.UptFormDataByWhere('stock', { _Where: [['Sku', '=', 'P-1']], Qty: 7 });
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
V8.Db.FromSql("update stock set Qty = Qty + 1 where Sku = 'P-2'").ExecuteNonQuery();
V8.Db.FromSql("delete from stock where Sku = 'P-3'").ExecuteNonQuery();
V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: { n: 1 } });
V8.Cache.Set('tried', 'yes');
console.log('cache says', V8.Cache.Get('tried'));
if (e.Url) console.log('http says', V8.Http.Get({ Url: e.Url }));
if (e.Bad) return { Code: 0, Msg: 'bad ' + V8.Param.EventId };
return { Code: 1, Data: { seen: V8.FormEngine.GetTableData('effect', {}).DataCount } };`,
  'onward.js': `/**
 * @queue onward
 */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
return { Code: 1 };`,
};

export const TRIAL_TABLES = [
  { Name: 'effect', Fields: [{ Name: 'EventId', Type: 'varchar(128)' }] },
  {
    Name: 'stock',
    Fields: [
      { Name: 'Sku', Type: 'varchar(20)', Unique: true },
      { Name: 'Qty', Type: 'int' },
    ],
    Rows: [
      { Sku: 'P-1', Qty: 1 },
      { Sku: 'P-2', Qty: 2 },
      { Sku: 'P-3', Qty: 3 },
      { Sku: 'P-4', Qty: 4 },
    ],
  },
];
