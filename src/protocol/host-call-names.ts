/**
 * Every host call a script can make, by the path under `V8` where scripts find it. The shim makes one function for
 * each, the host's table (v8-api/host-calls.ts) has one handler for each, runtime-types/v8.d.ts one declaration.
 * Adding a capability is a row here, a handler, a declaration and a test.
 */
export const HOST_CALL_NAMES = [
  'FormEngine.GetFormData',
  'FormEngine.GetTableData',
  'FormEngine.GetTableDataCount',
  'FormEngine.AddFormData',
  'FormEngine.UptFormData',
  'FormEngine.UptFormDataByWhere',
  'FormEngine.DelFormData',
  'FormEngine.DelFormDataByWhere',
  'ApiEngine.Run',
  'MQ.SendMsg',
  'Http.Post',
  'Http.PostResponse',
  'Method.NewUlid',
  'Method.NewGuid',
  'Method.GetTimestamp',
  'Method.AddSysLog',
] as const;

/** Name of a host call, such as `FormEngine.GetFormData`. */
export type HostCallName = (typeof HOST_CALL_NAMES)[number];
