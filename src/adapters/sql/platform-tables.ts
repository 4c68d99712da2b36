import { FIXED_COLUMNS, int, key, longText, type TableShape, text } from './table-definition.ts';

/** `diy_queue_receive`: the platform's columns, then ours (architecture.md 6). */
const queueReceive: TableShape = {
  name: 'diy_queue_receive',
  columns: [
    ...FIXED_COLUMNS,
    text('QueueName', 200),
    int('Type'),
    text('ApiEngineKey', 50),
    text('FailToReject', 10),
    int('Count'),
    text('DllName', 255),
    text('ClassName', 255),
    text('MethodName', 255),
    int('IsEnable', 1),
    int('Inbox', 1),
    int('LegacyAck', 0),
    int('Prefetch', 1),
    int('TimeoutSeconds'),
    text('Backoff', 50),
    text('QueueType', 10),
    text('OrderKey', 100),
    text('Source', 20),
  ],
  primaryKey: ['Id'],
};

/** `diy_queue_receive_log` (mq-mqtt.md 3.7). */
const receiveLog: TableShape = {
  name: 'diy_queue_receive_log',
  columns: [
    ...FIXED_COLUMNS,
    text('Type', 10),
    text('QueueName', 255),
    longText('Message'),
    text('SendTime', 25),
    text('ReceiveTime', 25),
    text('CompleteTime', 25),
    text('Status', 10),
    longText('StatusInfo'),
    text('MessageId', 128),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['MessageId'] }, { columns: ['CreateTime'] }],
};

/** `sys_apiengine` (v8-surface.md 8.1). */
const apiEngine: TableShape = {
  name: 'sys_apiengine',
  columns: [
    ...FIXED_COLUMNS,
    text('ApiName', 255),
    text('ApiEngineKey', 50),
    text('ApiAddress', 255),
    longText('ApiRoutes'),
    longText('ApiV8Code'),
    int('IsEnable', 1),
    int('StopHttp', 0),
    int('AllowAnonymous', 0),
    text('ResponseType', 20),
    int('ResponseFile', 0),
    int('Lock', 0),
    text('LockKey', 50),
    longText('ApiRole'),
    int('EnableLog', 0),
    int('Timeout'),
    int('MaxStatements'),
    int('LimitMemory'),
    int('LimitRecursion'),
    int('V8Limit', 0),
    int('V8Unlimited'),
    text('Category', 100),
    longText('ApiRemark'),
    longText('TestParam'),
    longText('TestResult'),
    longText('Files'),
    text('Version', 50),
    longText('ChangeHistory'),
    longText('AiCheckResult'),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['ApiEngineKey'] }],
};

const sysLog: TableShape = {
  name: 'sys_log',
  columns: [
    ...FIXED_COLUMNS,
    text('Type', 255),
    text('Title', 255),
    longText('Content'),
    longText('OtherInfo'),
    longText('Remark'),
    longText('Api'),
    longText('Param'),
    int('Level'),
    text('EventId', 128),
    text('RunId', 26),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['EventId'] }, { columns: ['CreateTime'] }],
};

/** `sys_osclients`: the registry of tenants. Column names, `MQVitrualHost` included, are the platform's. */
const osClients: TableShape = {
  name: 'sys_osclients',
  columns: [
    ...FIXED_COLUMNS,
    text('OsClient', 50),
    text('ClientName', 100),
    int('IsEnable', 1),
    text('DbType', 20),
    text('DbConn', 500),
    text('DbReadType', 20),
    text('DbReadConn', 500),
    text('DbMongoConnection', 500),
    text('MQHost', 200),
    ...['MQPort', 'MQUserName', 'MQPassword', 'MQVitrualHost', 'MQType', 'MQListenerTime'].map((name) =>
      text(name, 50),
    ),
    text('MQUseTls', 10),
    text('MQTlsServerName', 200),
    ...['MqttEnable', 'MqttPort', 'MqttWsPort', 'MqttTlsPort', 'MqttFallbackPort', 'MqttUseTls'].map((name) =>
      int(name),
    ),
    text('MqttCertPath', 255),
    text('MqttCertPassword', 100),
    text('MqttAccount', 50),
    text('MqttPwd', 50),
    text('MqttApiEngine', 100),
    int('MqttAllowAnonymous'),
    int('MqttTopicIsolation'),
    int('MqttShortTopics', 0),
    int('MqttVeto', 0),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['OsClient'], unique: true }],
};

/** `sys_config`: one row of settings for the whole tenant. */
const sysConfig: TableShape = {
  name: 'sys_config',
  columns: [...FIXED_COLUMNS, longText('GlobalServerV8Code')],
  primaryKey: ['Id'],
};

/** `mci_mqtt_client` (mq-mqtt.md 6.9). Client ids differ by case, and a device has one row. */
const mqttClient: TableShape = {
  name: 'mci_mqtt_client',
  columns: [
    ...FIXED_COLUMNS,
    key('ClientId', 200),
    int('IsOnline', 0),
    text('LastConnectTime', 25),
    text('ApiEngineId', 50),
    longText('MqttLogs'),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['ClientId'], unique: true }],
};

/** `mci_mqtt_log` (mq-mqtt.md 6.9). */
const mqttLog: TableShape = {
  name: 'mci_mqtt_log',
  columns: [...FIXED_COLUMNS, text('ClientId', 200), text('Type', 20), longText('Topic'), longText('Data')],
  primaryKey: ['Id'],
  indexes: [{ columns: ['CreateTime'] }],
};

/** `mci_mqtt_binding`, a table of ours: messages of these topics go into this queue. */
const mqttBinding: TableShape = {
  name: 'mci_mqtt_binding',
  columns: [
    ...FIXED_COLUMNS,
    text('TopicFilter', 1000),
    text('QueueName', 200),
    text('EventIdPath', 200),
    int('IsEnable', 1),
  ],
  primaryKey: ['Id'],
};

export const MQTT_TABLES: readonly TableShape[] = [mqttClient, mqttLog, mqttBinding];

/** Tables of the original platform with the columns of ours that `migrate --extend` adds to existing ones. */
export const PLATFORM_TABLES: readonly TableShape[] = [
  queueReceive,
  receiveLog,
  apiEngine,
  sysLog,
  osClients,
  sysConfig,
  ...MQTT_TABLES,
];
