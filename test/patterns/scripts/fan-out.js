/**
 * Asks several at once and waits for all: other servers, tables, another engine.
 *
 * @engineKey fan-out
 */
const first = await V8.Http.GetResponseAsync({ Url: V8.Param.Url + '/a' });
const [second, third, rows] = await Promise.all([
  V8.Http.GetResponseAsync({ Url: V8.Param.Url + '/b' }),
  V8.Http.GetResponseAsync({ Url: V8.Param.Url + '/c' }),
  V8.FormEngine.GetTableDataAsync('stock', { _Where: [['Qty', '>', 0]] })
]);
const noted = await V8.ApiEngine.RunAsync('fan-out-note', { Text: [first, second, third].map((r) => r.Content).join('') }, V8.DbTrans);
if (noted.Code !== 1) return noted;
return { Code: V8.Param.Fail ? 0 : 1, Data: { Rows: rows.DataCount, Heard: `${first.StatusCode} ${second.StatusCode}` } };
