import { defineText } from '../text/text.ts';

interface SettingsText {
  readonly title: string;
  readonly about: string;
  readonly isSet: string;
  readonly isNotSet: string;
  readonly keep: string;
  readonly remove: string;
  readonly hostsOwn: string;
  readonly readOnly: string;
  readonly saved: string;
  /** By the field's name; one that is not here is shown by its name. */
  readonly labels: Readonly<Record<string, string>>;
}

export const SETTINGS = defineText<SettingsText>(
  {
    title: '租户设置',
    about: '这个租户在 sys_osclients 里的设置。保存后本机立即生效，其他主机在几秒内生效。密码只写不读。',
    isSet: '已设置',
    isNotSet: '未设置',
    keep: '留空则不变',
    remove: '删除已设置的值',
    hostsOwn: '由主机管理员设置',
    readOnly: '你的角色可以查看，不能修改。',
    saved: '已保存并生效',
    labels: {
      ClientName: '租户名称',
      MQHost: '队列主机',
      MQPort: '队列端口',
      MQUserName: '队列账号',
      MQPassword: '队列密码',
      MQVitrualHost: '队列虚拟主机',
      MQUseTls: '队列使用 TLS',
      MQTlsServerName: '队列 TLS 服务器名',
      DbMongoConnection: 'MongoDB 连接',
      MqttEnable: '启用 MQTT',
      MqttAccount: 'MQTT 账号',
      MqttPwd: 'MQTT 密码',
      MqttApiEngine: '处理设备事件的接口引擎',
      MqttAllowAnonymous: '允许匿名设备',
      MqttShortTopics: '设备看到短主题',
      MqttVeto: '脚本可以拒绝连接和订阅',
    },
  },
  {
    title: 'Settings',
    about:
      'The tenant’s settings in sys_osclients. They hold at once on this host, within seconds on others. Passwords go in and never come out.',
    isSet: 'is set',
    isNotSet: 'is not set',
    keep: 'empty: stays as it is',
    remove: 'Take away what is set',
    hostsOwn: 'set by the host’s administrator',
    readOnly: 'Your role may look, not change.',
    saved: 'Saved and in force',
    labels: {
      ClientName: 'Name of the tenant',
      MQHost: 'Queue host',
      MQPort: 'Queue port',
      MQUserName: 'Queue user',
      MQPassword: 'Queue password',
      MQVitrualHost: 'Queue virtual host',
      MQUseTls: 'Queue over TLS',
      MQTlsServerName: 'TLS server name of the queue',
      DbMongoConnection: 'MongoDB connection',
      MqttEnable: 'MQTT on',
      MqttAccount: 'MQTT account',
      MqttPwd: 'MQTT password',
      MqttApiEngine: 'Engine that handles device events',
      MqttAllowAnonymous: 'Devices without a login',
      MqttShortTopics: 'Devices see short topics',
      MqttVeto: 'Scripts may refuse connections and subscriptions',
    },
  },
);
