/** One row of the host-call table, as the sandbox needs it. */
interface HostCallRow {
  /** Path under `V8` where scripts find it; families may nest (`Family.Part.Member`). */
  readonly name: string;
  /**
   * Makes a second member `<name>Async` that returns a promise of the same answer.
   *
   * - `in-order`: the calls of a run are served one after another, synchronous ones among them: they may share its
   *   transaction.
   * - `parallel`: served at once, whatever else runs: the member touches no transaction.
   */
  readonly async?: 'in-order' | 'parallel';
  /** The member begins a fluent chain, made by a part of the prelude; the host call is the chain's end. */
  readonly chain?: true;
  /** No member of `V8` by itself: a part of the prelude calls it, under a name of its own. */
  readonly inner?: true;
}

/**
 * Every host call a script can make. The shim makes one function for each (two with `async`), the host's table
 * (v8-api/host-calls.ts) has one handler for each, runtime-types/v8.d.ts one declaration for each function.
 * Adding a capability is a row here, a handler, a declaration and a test.
 */
export const HOST_CALL_ROWS = [
  { name: 'FormEngine.GetFormData', async: 'in-order' },
  { name: 'FormEngine.GetTableData', async: 'in-order' },
  { name: 'FormEngine.GetTableDataCount', async: 'in-order' },
  { name: 'FormEngine.GetTableDataTree', async: 'in-order' },
  { name: 'FormEngine.GetTableTree', async: 'in-order' },
  { name: 'FormEngine.AddFormData', async: 'in-order' },
  { name: 'FormEngine.UptFormData', async: 'in-order' },
  { name: 'FormEngine.UptFormDataByWhere', async: 'in-order' },
  { name: 'FormEngine.DelFormData', async: 'in-order' },
  { name: 'FormEngine.DelFormDataByWhere', async: 'in-order' },
  { name: 'FormEngine.AddTableData', async: 'in-order' },
  { name: 'FormEngine.AddFormDataBatch', async: 'in-order' },
  { name: 'FormEngine.UptTableData', async: 'in-order' },
  { name: 'FormEngine.UptFormDataBatch', async: 'in-order' },
  { name: 'FormEngine.DelTableData', async: 'in-order' },
  { name: 'FormEngine.DelFormDataBatch', async: 'in-order' },
  { name: 'FormEngine.SaveBatch', async: 'in-order' },
  { name: 'FormEngine.GetDiyTable', async: 'in-order' },
  { name: 'FormEngine.GetDiyTableModel', async: 'in-order' },
  { name: 'FormEngine.GetSysConfig', async: 'in-order' },
  { name: 'FormEngine.GetSysMenu', async: 'in-order' },
  { name: 'FormEngine.GetSysMenuModel', async: 'in-order' },
  { name: 'FormEngine.GetFieldData', async: 'in-order' },
  { name: 'FormEngine.AddTable', async: 'in-order' },
  { name: 'FormEngine.AddField', async: 'in-order' },
  { name: 'FormEngine.UptField', async: 'in-order' },
  { name: 'FormEngine.LoadNotDiyTable', async: 'in-order' },
  { name: 'ApiEngine.Run', async: 'in-order' },
  { name: 'Db.FromSql', chain: true },
  { name: 'DbRead.FromSql', chain: true },
  { name: 'DbTrans.FromSql', chain: true },
  { name: 'Dbs.List', inner: true },
  { name: 'Dbs.FromSql', inner: true },
  { name: 'Dbs.Begin', inner: true },
  { name: 'Dbs.End', inner: true },
  { name: 'Dbs.Open', inner: true },
  { name: 'MQ.SendMsg' },
  { name: 'MQTT.Publish', inner: true },
  { name: 'Inbox.Begin', inner: true },
  { name: 'Inbox.End', inner: true },
  { name: 'Http.Get', async: 'parallel' },
  { name: 'Http.Post', async: 'parallel' },
  { name: 'Http.Patch', async: 'parallel' },
  { name: 'Http.Put', async: 'parallel' },
  { name: 'Http.Delete', async: 'parallel' },
  { name: 'Http.GetResponse', async: 'parallel' },
  { name: 'Http.PostResponse', async: 'parallel' },
  { name: 'Http.PatchResponse', async: 'parallel' },
  { name: 'Http.PutResponse', async: 'parallel' },
  { name: 'Http.DeleteResponse', async: 'parallel' },
  { name: 'Http.HeadResponse', async: 'parallel' },
  { name: 'Cache.Get', async: 'parallel' },
  { name: 'Cache.Set', async: 'parallel' },
  { name: 'Cache.SetIfNotExists', async: 'parallel' },
  { name: 'Cache.Delete', async: 'parallel' },
  { name: 'Cache.Del', async: 'parallel' },
  { name: 'Cache.Remove', async: 'parallel' },
  { name: 'Cache.RemoveParent', async: 'parallel' },
  { name: 'Cache.KeyExist', async: 'parallel' },
  { name: 'Cache.Exists', async: 'parallel' },
  { name: 'Cache.Expire', async: 'parallel' },
  { name: 'Cache.HashSet', async: 'parallel' },
  { name: 'Cache.HashGet', async: 'parallel' },
  { name: 'Cache.HashGetAll', async: 'parallel' },
  { name: 'Cache.HashGetAllKeys', async: 'parallel' },
  { name: 'Cache.HashGetAllValues', async: 'parallel' },
  { name: 'Cache.HashDelete', async: 'parallel' },
  { name: 'Cache.HashRemove', async: 'parallel' },
  { name: 'Cache.HashExists', async: 'parallel' },
  { name: 'Cache.HashLength', async: 'parallel' },
  { name: 'Cache.HashIncrement', async: 'parallel' },
  { name: 'MongoDb.NewId' },
  { name: 'MongoDb.AddFormData' },
  { name: 'MongoDb.UptFormData' },
  { name: 'MongoDb.DelFormData' },
  { name: 'MongoDb.GetFormData' },
  { name: 'MongoDb.GetTableData' },
  { name: 'Method.NewUlid' },
  { name: 'Method.NewGuid' },
  { name: 'Method.GetTimestamp' },
  { name: 'Method.AddSysLog' },
  { name: 'Method.GetCurrentToken' },
  { name: 'Method.ParseWhere' },
  { name: 'Method.HmacSha1Sign' },
  { name: 'Method.HmacSha256Sign' },
  { name: 'Method.Md5Sign' },
  { name: 'Method.Md5SignHex' },
  { name: 'Action.Sleep', inner: true },
  { name: 'SysConfig.Read', inner: true },
  { name: 'OsClientModel.Read', inner: true },
  { name: 'System.ComputeHash', inner: true },
  { name: 'EncryptHelper.SHA1' },
  { name: 'EncryptHelper.SHA256' },
  { name: 'EncryptHelper.SHA512' },
  { name: 'EncryptHelper.Sha256Hex' },
  { name: 'EncryptHelper.MD5Encrypt' },
  { name: 'EncryptHelper.MD5EncryptWeChat' },
  { name: 'EncryptHelper.HmacSha256' },
  { name: 'EncryptHelper.DESEncode' },
  { name: 'EncryptHelper.DESDecode' },
  { name: 'EncryptHelper.AESEncrypt' },
  { name: 'EncryptHelper.AESDecrypt' },
  { name: 'EncryptHelper.RSAEncrypt' },
  { name: 'EncryptHelper.RSADecrypt' },
  { name: 'EncryptHelper.IsRSAEncrypted' },
] as const satisfies readonly HostCallRow[];

/** Name of a host call, such as `FormEngine.GetFormData`. */
export type HostCallName = (typeof HOST_CALL_ROWS)[number]['name'];

export const HOST_CALL_NAMES: readonly HostCallName[] = HOST_CALL_ROWS.map((row) => row.name);

/** Paths under `V8` of every function that stands for a host call: the names and their `Async` twins. */
export const SCRIPT_CALL_PATHS: readonly string[] = HOST_CALL_ROWS.flatMap((row) => {
  if ('inner' in row) return [];
  return 'async' in row ? [row.name, `${row.name}Async`] : [row.name];
});
