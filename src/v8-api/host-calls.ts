/** The host-call table: every name a script can call, and its one handler. */
import type { HostCallName } from '../protocol/host-call-names.ts';
import { API_ENGINE } from './api-engine.ts';
import { CACHE } from './cache.ts';
import { DB } from './db.ts';
import { DBS } from './dbs.ts';
import { ENCRYPT_HELPER } from './encrypt-helper.ts';
import { FORM_ENGINE } from './form-engine.ts';
import type { HostCall } from './host-call.ts';
import { HTTP } from './http.ts';
import { INBOX } from './inbox.ts';
import { METHOD } from './method.ts';
import { MONGO_DB } from './mongo-db.ts';
import { MQ } from './mq.ts';
import { MQTT } from './mqtt.ts';
import { SLEEP } from './sleep.ts';
import { TENANT_SETTINGS } from './tenant-settings.ts';

export type { HostCall } from './host-call.ts';

export const HOST_CALLS: Readonly<Record<HostCallName, HostCall>> = Object.freeze({
  ...FORM_ENGINE,
  ...API_ENGINE,
  ...DB,
  ...DBS,
  ...MQ,
  ...MQTT,
  ...INBOX,
  ...HTTP,
  ...CACHE,
  ...MONGO_DB,
  ...METHOD,
  ...ENCRYPT_HELPER,
  ...SLEEP,
  ...TENANT_SETTINGS,
});
