/**
 * Members of the platform that this host does not have. Each is a function that answers Code 0 with
 * MEMBER_UNSUPPORTED and what to do instead, so that a script fails with a sentence and not with "is not a function".
 * Members that neither product has read as undefined. docs/compatibility.md lists all of them.
 */
interface UnsupportedFamily {
  /** Path under `V8`. */
  readonly family: string;
  readonly members: readonly string[];
  /** 中文 and English, for the reader of the message. */
  readonly instead: string;
  /** The platform's members return promises, and so do these. */
  readonly promises?: true;
  /** The platform has the family as a global, too (v8-surface.md 6.10). */
  readonly global?: true;
  /** Each member has a second one, `<name>Async`, that returns a promise. */
  readonly twins?: true;
}

const FILES =
  '没有文件存储：用 V8.Http 把文件传到自己的存储 / there is no file store: send the file to your own by V8.Http';
const USERS = '用户和角色不由本主机管理 / users and roles are not kept by this host';
const CONTROL = '平台管理功能请在原平台执行 / use the original platform to administer it';
const PAYMENT =
  '用 V8.Http 调用自己的支付服务，由它保管商户密钥 / call a payment service of your own by V8.Http: it keeps the keys';
const SERVICE = '用 V8.Http 调用提供此功能的服务 / call a service that does it by V8.Http';

export const UNSUPPORTED_FAMILIES: readonly UnsupportedFamily[] = [
  {
    family: 'Office',
    members: ['ExportExcel', 'ExcelToList', 'ExportWord', 'ExportWordText', 'ExportPowerPoint', 'SendEmail'],
    instead: SERVICE,
  },
  {
    family: 'Image',
    members: ['Create', 'Merge', 'Overlay', 'Resize', 'Crop', 'Rotate', 'Flip', 'Convert', 'Draw', 'Watermark'].concat([
      'CreateQRCode',
      'GetInfo',
    ]),
    instead: SERVICE,
    global: true,
  },
  { family: 'OCR', members: ['Recognize'], instead: SERVICE, promises: true },
  {
    family: 'AI',
    members: ['Chat', 'ChatStream', 'RecognizeIntent', 'NL2SQL', 'NL2V8'],
    instead: SERVICE,
    promises: true,
  },
  { family: 'Spider', members: ['GetRenderHtml', 'OpenSession'], instead: SERVICE, promises: true },
  {
    family: 'HDFS',
    members: ['Upload', 'GetPrivateFileUrl', 'GetPrivateFileByte', 'ListObjects', 'DeleteObject'],
    instead: FILES,
    promises: true,
  },
  { family: 'Sms', members: ['Send'], instead: SERVICE },
  {
    family: 'WeChat',
    members: ['AesGcmDecrypt', 'GetWeChatSign', 'GetWeChatAuthorization'],
    instead: PAYMENT,
    global: true,
  },
  { family: 'Alipay', members: ['CreatePay'], instead: PAYMENT, global: true },
  { family: 'AlipayV3', members: ['CreatePay'], instead: PAYMENT, global: true },
  { family: 'Alidns', members: ['UptDomainRecord', 'UptESADomainRecord'], instead: SERVICE, global: true },
  {
    family: 'System',
    members: ['GetOSInfo', 'GetCpuMemoryInfo', 'GetDiskInfo', 'GetNetworkTrafficInfo', 'GetDiskIOInfo'],
    instead: '机器指标由运维在 /metrics 查看 / figures of the machine are the operator’s: /metrics',
  },
  { family: 'Notification', members: ['Send'], instead: '用 V8.MQ.SendMsg 发送消息 / send a message by V8.MQ.SendMsg' },
  { family: 'WFEngine', members: ['StartWork'], instead: '没有流程引擎 / there is no workflow engine' },
  {
    family: 'Tcp',
    members: ['Send', 'SendAndReceive'],
    instead: '脚本只能用 HTTP 访问外部 / scripts reach the outside by HTTP only',
    global: true,
    twins: true,
  },
  {
    family: 'TranslateEngine',
    members: ['Translate', 'TranslateText', 'Detect', 'GetLanguages', 'TranslateFile', 'Suggest', 'Health'].concat([
      'GetLang',
      'GetLangData',
      'GetLangCode',
    ]),
    instead: SERVICE,
  },
  {
    family: 'ModuleEngine',
    members: ['GetTableData', 'GetTableDataCount', 'GetTableDataTree', 'GetModuleModel'],
    instead: '用 V8.FormEngine 查询数据表 / query the tables by V8.FormEngine',
    twins: true,
  },
  {
    family: 'DataSourceEngine',
    members: ['Run'],
    instead: '用 V8.ApiEngine.Run 调用接口引擎 / run an interface engine by V8.ApiEngine.Run',
    twins: true,
  },
  {
    family: 'ApiEngine',
    members: ['GetApiEngineModel', 'GetAuthoritativeApiEngineModel'],
    instead: '读取 sys_apiengine 表 / read the table sys_apiengine',
  },
  {
    family: 'Method',
    members: ['Upload', 'GetPrivateFileUrl', 'GetPrivateFileText', 'MoveObject', 'CreateZip', 'ExtractZip'],
    instead: FILES,
  },
  {
    family: 'Method',
    members: ['RefreshLoginUser', 'ClearUserLoginInfo', 'SetSysUserRoleInfo', 'GetAccessToken'].concat([
      'ConsumeIdentityVerificationTicket',
      'GetUserTenants',
    ]),
    instead: USERS,
  },
  {
    family: 'Method',
    members: ['GetClientIP'],
    instead: '由调用方在参数中传入 / let the caller pass it in the parameters',
  },
  {
    family: 'Method',
    members: ['UpdateBackgroundTask'],
    instead:
      '没有后台任务：用 V8.MQ.SendMsg 分步处理 / there are no background tasks: go step by step with V8.MQ.SendMsg',
  },
  {
    family: 'Method',
    members: [
      'ReloadOsClient',
      'ClearTenantCache',
      'RefreshExtensionDatabases',
      'SaveScheduleJob',
      'GetTraceTimeline',
      'QuerySystemLogSignal',
      'ExplainAuthorizationDecision',
      'PlanSystemLogLifecycle',
      'RunSystemLogLifecycle',
      'ReadIdentityDirectoryPage',
      'RunDatabaseBackup',
      'QueueScheduledDatabaseBackup',
      'PrepareEmptyDatabaseRelease',
      'ApplyEmptyDatabaseSanitization',
      'PublishEmptyDatabaseRelease',
      'CleanupEmptyDatabaseRelease',
      'EnsureTenantProvisioningColumns',
      'ProvisionTenant',
      'ProvisionAdminTenant',
      'CreateTenantDatabase',
      'TestExtend',
      'TestException',
    ],
    instead: CONTROL,
  },
];

/** Paths under `V8` of all of them. */
export const UNSUPPORTED_PATHS: readonly string[] = UNSUPPORTED_FAMILIES.flatMap(({ family, members, twins }) =>
  members.flatMap((member) => [`${family}.${member}`, ...(twins ? [`${family}.${member}Async`] : [])]),
);
