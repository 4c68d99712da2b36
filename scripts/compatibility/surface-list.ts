/**
 * The members that scripts of the platform use commonly or now and then (v8-surface.md 9, use C and R), as paths under
 * `V8`; a path that begins with `::` is a global. `Family.*` is a family whose members the platform lists elsewhere.
 * The compatibility page has to say of each what a script finds here.
 */
export const SURFACE_MEMBERS: readonly string[] = [
  // Context
  ...[
    'Param',
    'OsClient',
    'CurrentUser',
    'Form',
    'OldForm',
    'FormSubmitAction',
    'Result',
    'EventName',
    'MQTT',
    'Header',
  ],
  ...['SysConfig', 'OsClientModel', 'ClientModel', 'CurrentSysUser', 'InvokeType', 'ApiEngineKey', 'Action'],
  ...['FilesByteBase64', 'TableModel', 'TableData', 'RowIndex', 'CacheData', 'NotSaveField'],
  ...['LineValue', 'NextNodeId', 'WF', 'Limits'],
  // FormEngine
  ...twins('FormEngine', 'GetFormData', 'GetTableData', 'UptFormData', 'AddFormData', 'DelFormData'),
  ...twins('FormEngine', 'UptFormDataByWhere', 'DelFormDataByWhere', 'AddTableData', 'UptTableData', 'DelTableData'),
  ...twins('FormEngine', 'GetTableDataCount', 'GetTableDataTree'),
  ...family('FormEngine', 'GetSysConfig', 'GetDiyTable', 'GetDiyTableModel', 'GetSysMenu', 'GetSysMenuModel'),
  ...family('FormEngine', 'GetFieldData', 'LoadNotDiyTable'),
  // Engines, SQL and other databases
  ...twins('ApiEngine', 'Run'),
  ...['Db.FromSql', 'DbTrans', 'DbTrans.FromSql', 'DbRead.FromSql', 'Dbs', 'Dbs.Open'],
  // Cache
  ...family('Cache', 'Get', 'Set', 'Remove', 'Delete', 'Del', 'KeyExist', 'Exists', 'Expire', 'SetIfNotExists'),
  ...family('Cache', 'HashSet', 'HashGet', 'HashGetAll', 'HashGetAllValues', 'HashGetAllKeys', 'HashDelete'),
  ...family('Cache', 'HashRemove', 'HashExists', 'HashLength', 'HashIncrement'),
  // HTTP
  ...twins('Http', 'Get', 'Post', 'Patch', 'GetResponse', 'PostResponse', 'PatchResponse'),
  // Method
  ...family('Method', 'NewUlid', 'NewGuid', 'GetTimestamp', 'AddSysLog', 'GetCurrentToken', 'ParseWhere'),
  ...family('Method', 'UpdateBackgroundTask', 'Upload', 'GetPrivateFileUrl', 'GetPrivateFileText', 'MoveObject'),
  ...family('Method', 'CreateZip', 'ExtractZip', 'HmacSha1Sign', 'HmacSha256Sign', 'Md5Sign', 'Md5SignHex'),
  ...family('Method', 'JsonStringify', 'JsonStringifyIndented'),
  // Crypto
  ...family('EncryptHelper', 'Sha256Hex', 'SHA1', 'SHA256', 'SHA512', 'DESEncode', 'DESDecode', 'MD5Encrypt'),
  ...family('EncryptHelper', 'MD5EncryptWeChat', 'AESEncrypt', 'AESDecrypt', 'HmacSha256', 'RSAEncrypt', 'RSADecrypt'),
  ...family('EncryptHelper', 'IsRSAEncrypted'),
  ...family('Base64', 'StringToBase64', 'Base64ToString'),
  // Documents and messages
  ...family('MongoDb', 'NewId', 'AddFormData', 'UptFormData', 'DelFormData', 'GetFormData', 'GetTableData'),
  ...['MQ.SendMsg', 'Notification.Send', 'Sms.Send'],
  // Services
  ...family('Office', 'ExportExcel', 'ExcelToList', 'ExportWord', 'ExportWordText', 'ExportPowerPoint', 'SendEmail'),
  ...family('Image', 'Create', 'Merge', 'Overlay', 'Resize', 'Crop', 'Rotate', 'Flip', 'Convert', 'Draw', 'Watermark'),
  ...family('Image', 'CreateQRCode', 'GetInfo'),
  ...twins('Tcp', 'Send', 'SendAndReceive'),
  ...family('TranslateEngine', 'Translate', 'TranslateText', 'Detect', 'GetLanguages', 'TranslateFile', 'Suggest'),
  ...family('TranslateEngine', 'Health', 'GetLang', 'GetLangData', 'GetLangCode'),
  ...twins('ModuleEngine', 'GetTableData', 'GetTableDataCount', 'GetTableDataTree', 'GetModuleModel'),
  ...twins('DataSourceEngine', 'Run'),
  ...['OCR.Recognize', 'AI.Chat', 'AI.ChatStream', 'AI.RecognizeIntent', 'AI.NL2SQL', 'AI.NL2V8'],
  ...['Spider.GetRenderHtml', 'Spider.OpenSession', 'WFEngine.StartWork'],
  ...family('HDFS', 'Upload', 'GetPrivateFileUrl', 'ListObjects', 'DeleteObject'),
  ...family('WeChat', 'AesGcmDecrypt', 'GetWeChatSign', 'GetWeChatAuthorization'),
  ...['Alipay.CreatePay', 'AlipayV3.CreatePay', 'Alidns.UptDomainRecord', 'Alidns.UptESADomainRecord'],
  ...family('System', 'GetOSInfo', 'GetCpuMemoryInfo', 'GetDiskInfo', 'GetNetworkTrafficInfo', 'GetDiskIOInfo'),
  ...['IPHelper.*', 'HDFS.GetPrivateFileByte'],
  // Globals
  ...['::DateNow', '::DateFormat', '::DateAdd', '::calc', '::console', '::setTimeout', '::clearTimeout', '::JSON'],
  ...['::Promise', '::System'],
];

function family(name: string, ...members: readonly string[]): readonly string[] {
  return members.map((member) => `${name}.${member}`);
}

/** Each with its twin that returns a promise. */
function twins(name: string, ...members: readonly string[]): readonly string[] {
  return members.flatMap((member) => [`${name}.${member}`, `${name}.${member}Async`]);
}
