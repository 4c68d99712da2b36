/** Why a parameter of a host call is refused, in both languages. The sentence around it is PARAM_INVALID's. */
import { AppError, type Lang } from '../core/errors.ts';

const PARAM_RULES = {
  object: { zh: '须为对象，例如 {Id: "..."}。', en: 'it must be an object such as {Id: "..."}.' },
  scalarText: { zh: '须为文本或数字。', en: 'it must be text or a number.' },
  flag: { zh: '须为 true/false、1/0 或其文本。', en: 'it must be true/false, 1/0 or their text.' },
  positiveInteger: { zh: '须为大于 0 的整数（从 1 开始）。', en: 'it must be a whole number from 1 up.' },
  nameList: {
    zh: '须为列名数组，例如 ["Sku", "Qty"]。',
    en: 'it must be an array of column names such as ["Sku", "Qty"].',
  },
  idList: {
    zh: '须为 Id 数组（文本或数字），最多 10,000 个。',
    en: 'it must be an array of Ids (text or numbers), at most 10,000.',
  },
  column: { zh: '表中没有这一列：检查拼写。', en: 'the table has no such column: check its spelling.' },
  columnsLeft: { zh: '排除后没有剩下任何列。', en: 'it leaves no column to read.' },
  sortMap: { zh: '须为 {列名: "asc" 或 "desc"}。', en: 'it must be {Column: "asc" or "desc"}.' },
  sortDirection: { zh: '须为文本 "asc" 或 "desc"。', en: 'it must be the text "asc" or "desc".' },
  columnTwice: {
    zh: '同一列以不同大小写出现了两次：只保留一个。',
    en: 'the same column is given twice in different case: keep one.',
  },
  scalarValue: {
    zh: '列值不能是对象或数组：先用 JSON.stringify 转成文本。',
    en: 'a column value is no object or array: make text of it with JSON.stringify first.',
  },
  finiteNumber: {
    zh: '不能写入 NaN 或 Infinity：检查计算。',
    en: 'NaN and Infinity cannot be stored: check the calculation.',
  },
  integerValue: { zh: '此列是整数列。', en: 'this column takes whole numbers.' },
  decimalValue: {
    zh: '此列是数字列：只接受数字或十进制文本（无千分位、无指数）。',
    en: 'this column takes numbers: a number or decimal text without thousands separators and exponent.',
  },
  dateValue: {
    zh: '此列是日期列：写成 "2026-01-31 08:00:00"。',
    en: 'this column takes dates: write "2026-01-31 08:00:00".',
  },
  rowList: {
    zh: '须为行数组 [{FormEngineKey: "...", ...}]。',
    en: 'it must be an array of rows [{FormEngineKey: "...", ...}].',
  },
  batchLists: {
    zh: '须有 AddList 或 UptList，例如 {FormEngineKey: "...", AddList: [...], UptList: [...]}。',
    en: 'it needs AddList or UptList, such as {FormEngineKey: "...", AddList: [...], UptList: [...]}.',
  },
  rowCount: { zh: '一批最多 10,000 行：分批写入。', en: 'a batch takes at most 10,000 rows: write in portions.' },
  uniqueMany: {
    zh: '要写入唯一列时最多匹配 1,000 行：缩小条件，分批写入。',
    en: 'it may match 1,000 rows when a unique column is written: narrow it, and write in portions.',
  },
  labelLength: { zh: '最多 60 个字符。', en: 'it takes at most 60 characters.' },
  fieldBySql: {
    zh: '选项来自 SQL 或接口引擎：直接查询数据表，或运行该引擎。',
    en: 'its options come from SQL or an engine: query the table, or run the engine.',
  },
  keywordLength: { zh: '最多 1,000 个字符。', en: 'it takes at most 1,000 characters.' },
  noTextColumn: { zh: '表中没有可搜索的文本列。', en: 'the table has no text column to search.' },
  notTree: {
    zh: '此表没有开启树形结构：在表单属性中打开，或用 GetTableData。',
    en: 'the table is no tree: switch its tree structure on in the designer, or use GetTableData.',
  },
  treeColumn: {
    zh: '树形表须有此列，存放上级的 Id。',
    en: 'a tree needs this column with the Id of the row above.',
  },
  treeDepth: { zh: '层级超过 256 层：检查数据。', en: 'it nests deeper than 256 levels: check the data.' },
  booleanValue: { zh: '此列只接受 true/false 或 1/0。', en: 'this column takes true/false or 1/0.' },
  unsupported: {
    zh: '此版本尚不支持。忽略它会读写错误的数据，因此拒绝：请改用 _Where 或去掉它。',
    en: 'not supported in this version. Ignoring it would touch the wrong rows, so it is refused: use _Where or leave it out.',
  },
  events: {
    zh: '_InvokeType 须为 "Client" 或 "Server"，_RunV8Event 须为 "1" 或 "0"。',
    en: '_InvokeType is "Client" or "Server", _RunV8Event "1" or "0".',
  },
  eventsOfOneRow: {
    zh: '此表有事件，事件按单行触发：请逐行调用 AddFormData、UptFormData 或 DelFormData。',
    en: 'the table has events, which fire for one row at a time: call AddFormData, UptFormData or DelFormData for each.',
  },
  otherMethod: {
    zh: '此方法不使用它：忽略它会读写错误的数据，因此拒绝。',
    en: 'this method does not use it. Ignoring it would touch the wrong rows, so it is refused.',
  },
  unknownKey: {
    zh: '没有这个参数：检查拼写（下划线开头的是平台参数，列名不以下划线开头）。',
    en: 'there is no such parameter: check its spelling (a leading underscore marks platform parameters, never columns).',
  },
  idIsNoCondition: {
    zh: '按条件写入时 Id、Ids 不是条件：请写进 _Where，例如 ["Id", "=", "..."]。',
    en: 'it is no condition of a write by _Where: put it there, such as ["Id", "=", "..."].',
  },
  url: {
    zh: '须为 http:// 或 https:// 开头的完整地址。',
    en: 'it must be a full address beginning with http:// or https://.',
  },
  paramType: { zh: '须为 form、json、xml、text 或 binary。', en: 'it must be form, json, xml, text or binary.' },
  rawNeedsType: {
    zh: '原文须说明类型：ParamType 为 json、xml、text 或 binary，或给出 ContentType。',
    en: 'raw text needs its type: ParamType json, xml, text or binary, or a ContentType.',
  },
  xmlText: {
    zh: 'ParamType 为 xml 时请用 PostParamString 给出文本。',
    en: 'with ParamType xml give the text as PostParamString.',
  },
  upload: {
    zh: '脚本中没有流：请用 FilesByteBase64、FilesByteString 或 FilesByte。',
    en: 'scripts have no streams: use FilesByteBase64, FilesByteString or FilesByte.',
  },
  base64Files: {
    zh: '文件内容须为 Base64 文本（不带 data: 前缀）。',
    en: 'a file is Base64 text, without a data: prefix.',
  },
  textFiles: { zh: '文件内容须为文本。', en: 'a file is text.' },
  byteFiles: { zh: '文件内容须为 0 到 255 的整数数组。', en: 'a file is an array of whole numbers from 0 to 255.' },
  binaryBody: {
    zh: 'ParamType 为 binary 时，请求体须是唯一一个文件（FilesByteBase64）或原文（PostParamString）之一。',
    en: 'a binary body is exactly one file (FilesByteBase64) or the raw text (PostParamString).',
  },
  anyCharset: {
    zh: '没有这种字符集：例如 utf-8、gbk。',
    en: 'there is no such charset: use one such as utf-8 or gbk.',
  },
  headerText: { zh: '不能含换行等控制字符，也不能含中文。', en: 'it must be Latin text without control characters.' },
  credentials: {
    zh: '须为运维配置的凭据名称，或 {UserName: "...", Password: "..."}（用户名不含冒号）。',
    en: 'it must be the name of a credential, or {UserName: "...", Password: "..."} without a colon in the name.',
  },
  httpUnsupported: {
    zh: '脚本不能使用宿主机的证书文件和 Cookie 容器：Cookie 请写在 Headers 中，客户端证书请由网关提供。',
    en: "scripts cannot use the host's certificate files or cookie containers: write cookies into Headers, and let a gateway hold client certificates.",
  },
  headers: {
    zh: '须为 {名称: 文本}，名称和值不能含换行等控制字符。',
    en: 'it must be {Name: text} without line breaks or other control characters.',
  },
  sqlText: { zh: '须为 SQL 文本。', en: 'it must be SQL text.' },
  sqlValue: {
    zh: '须为文本、数字、布尔、null 或它们的数组：对象先用 JSON.stringify 转成文本。',
    en: 'it must be text, a number, a boolean, null or a list of them: make text of an object with JSON.stringify.',
  },
  manyParameters: {
    zh: '一条语句最多 2,000 个参数：把数组作为一个参数写进 IN (@ids)。',
    en: 'one statement takes 2,000 parameters at most: give a list as one parameter of IN (@ids).',
  },
  readsOnly: {
    zh: '只能查询：写入请用 V8.Db 或 V8.DbTrans。',
    en: 'it reads only: write through V8.Db or V8.DbTrans.',
  },
  writesOnly: {
    zh: '只用于 INSERT、UPDATE、DELETE、REPLACE：查询请用 ToArray、First 或 ToScalar。',
    en: 'it is for INSERT, UPDATE, DELETE and REPLACE: read with ToArray, First or ToScalar.',
  },
  cacheValue: {
    zh: '须为文本、数字或布尔值：对象和数组先用 JSON.stringify 转成文本。',
    en: 'it must be text, a number or a boolean: make text of objects and arrays with JSON.stringify first.',
  },
  cacheLife: {
    zh: '须为大于 0 的秒数（数字），或 "d.HH:mm:ss" 文本，最长 3650 天。',
    en: 'it must be seconds above 0 as a number, or a text "d.HH:mm:ss", at most 3,650 days.',
  },
  cacheField: { zh: '字段名不超过 1024 字节。', en: 'the name of a field has at most 1,024 bytes.' },
  cacheFields: {
    zh: '须为非空数组 [{Name: "...", Value: "..."}]。',
    en: 'it must be a list [{Name: "...", Value: "..."}] that is not empty.',
  },
  number: { zh: '须为数字。', en: 'it must be a number.' },
  seconds: { zh: '须为大于 0 的秒数。', en: 'it must be a number of seconds above 0.' },
  milliseconds: { zh: '须为不小于 0 的毫秒数。', en: 'it must be a number of milliseconds, 0 or more.' },
  bytes: {
    zh: '须为文本或字节数组（0 到 255 的整数）。',
    en: 'it must be text or a list of bytes (whole numbers from 0 to 255).',
  },
  charset: { zh: '只支持 utf-8、gb2312、gbk。', en: 'it must be utf-8, gb2312 or gbk.' },
  digestName: { zh: '须为 MD5、SHA1、SHA256 或 SHA512。', en: 'it must be MD5, SHA1, SHA256 or SHA512.' },
  aesFormat: {
    zh: '不是 AESEncrypt 得到的文本（以 aes1: 开头）。',
    en: 'it is no text made by AESEncrypt (it begins with aes1:).',
  },
  aesAltered: { zh: '密钥不对，或文本被改动过。', en: 'the key is another one, or the text was altered.' },
  rsaPublicKey: {
    zh: 'publicKey 须为 PEM 或 Base64 格式的 RSA 公钥。',
    en: 'publicKey must be an RSA public key as PEM or Base64.',
  },
  rsaTooLong: {
    zh: '文本太长：最多为密钥字节数减 11（2048 位密钥为 245 字节）。',
    en: "the text is too long: at most the key's bytes less 11 (245 for 2,048 bits).",
  },
} as const satisfies Record<string, Readonly<Record<Lang, string>>>;

/** Name of a rule a parameter can break. */
export type ParamRule = keyof typeof PARAM_RULES;

/** The rule's sentence, for errors that name their subject themselves. */
export function ruleText(rule: ParamRule, lang: Lang): string {
  return PARAM_RULES[rule][lang];
}

/** Refuses the call because `field` breaks `rule`. @throws AppError PARAM_INVALID, always. */
export function refuseParam(field: string, rule: ParamRule, lang: Lang): never {
  throw new AppError('PARAM_INVALID', { field, rule: PARAM_RULES[rule][lang] });
}
