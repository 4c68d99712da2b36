import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableAccess } from '../../src/core/protected-tables.ts';

for (const [access, tables] of [
  [
    'hidden',
    [
      'mq_inbox',
      'MQ_Outbox',
      'mq_whatever',
      'schema_migration',
      'Sys_OsClients',
      'v8host_user',
      'V8Host_Signing_Key',
      'sqlite_master',
      'SQLITE_sequence',
      ' mq_inbox ',
    ],
  ],
  ['read', ['sys_apiengine', 'SYS_APIENGINE', 'diy_queue_receive', 'diy_queue_receive_log', 'sys_log', 'sys_config']],
  ['write', ['shop_order', 'mqtt_device', 'my_mq_inbox', 'sys_logs', 'mci_mqtt_client']],
] as const) {
  for (const table of tables) {
    test(`${JSON.stringify(table)} is ${access} for scripts`, () => assert.equal(tableAccess(table), access));
  }
}
