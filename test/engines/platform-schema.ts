/**
 * Tables as the original platform makes them: its columns only, in the character sets, flags and date texts that its
 * installations have.
 */
const FIXED = `Id varchar(36) not null primary key, CreateTime datetime null, UpdateTime datetime null,
  UserId varchar(36) null, UserName varchar(255) null, IsDeleted bit(1) null default b'0'`;

const UTF8 = 'engine=InnoDB default charset=utf8 collate=utf8_general_ci';

export const PLATFORM_SCHEMA: readonly string[] = [
  `create table diy_queue_receive (${FIXED}, QueueName varchar(200) null, Type int null,
     ApiEngineKey varchar(50) null, FailToReject varchar(10) null, \`Count\` int null, DllName varchar(255) null,
     ClassName varchar(255) null, MethodName varchar(255) null, RizhiXX varchar(255) null) ${UTF8}`,
  `create table diy_queue_receive_log (${FIXED}, Type varchar(10) null, QueueName varchar(255) null,
     Message longtext null, SendTime varchar(25) null, ReceiveTime varchar(25) null, CompleteTime varchar(25) null,
     Status varchar(10) null, StatusInfo text null, MessageId varchar(128) null) ${UTF8}`,
  `create table sys_apiengine (${FIXED}, ApiName varchar(255) null, ApiEngineKey varchar(50) null,
     ApiAddress varchar(255) null, ApiV8Code mediumtext null, IsEnable bit(1) null, StopHttp int null,
     AllowAnonymous bit(1) null, ResponseType varchar(50) null, ResponseFile int null, \`Lock\` bit(1) null,
     LockKey varchar(50) null, ApiRole mediumtext null, EnableLog int null, Timeout int null, MaxStatements int null,
     LimitMemory int null, LimitRecursion int null, V8Limit int null, V8Unlimited int null,
     Category varchar(50) null) ${UTF8}`,
  `create table sys_osclients (${FIXED}, OsClient varchar(50) null, ClientName varchar(100) null,
     DbType varchar(20) null, DbConn varchar(500) null, MQHost varchar(200) null, MQPort varchar(50) null,
     MQUserName varchar(50) null, MQPassword varchar(50) null, MQVitrualHost varchar(50) null, MQType varchar(50) null,
     MQListenerTime varchar(50) null, MqttEnable int null, MqttPort int null, MqttWsPort int null,
     MqttAccount varchar(50) null, MqttPwd varchar(50) null, MqttApiEngine varchar(100) null) ${UTF8}`,
  `create table diy_order (${FIXED}, OrderNo varchar(50) null, Customer varchar(100) null, Paid bit(1) null,
     OrderTime varchar(25) null, Amount decimal(18,2) null) ${UTF8}`,
  `create table diy_stock (Id varchar(36) not null primary key, CreateTime varchar(25) null,
     UpdateTime varchar(25) null, UserId varchar(36) null, UserName varchar(255) null, IsDeleted int null,
     Sku varchar(50) null, Stock int null) engine=InnoDB default charset=latin1`,
];

/** Names of the platform's own tables above. */
export const PLATFORM_TABLE_NAMES: readonly string[] = PLATFORM_SCHEMA.map((text) => text.split(' ')[2] ?? '');
