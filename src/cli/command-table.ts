import type { Command } from './command.ts';
import { backup } from './commands/backup.ts';
import { bindings } from './commands/bindings.ts';
import { completion } from './commands/completion.ts';
import { deadLettersEdit } from './commands/dead-letters-edit.ts';
import { deadLettersGroups } from './commands/dead-letters-groups.ts';
import { deadLettersList } from './commands/dead-letters-list.ts';
import { deadLettersPurge } from './commands/dead-letters-purge.ts';
import { deadLettersReplay } from './commands/dead-letters-replay.ts';
import { deadLettersShow } from './commands/dead-letters-show.ts';
import { deadLettersTry } from './commands/dead-letters-try.ts';
import { dev } from './commands/dev.ts';
import { doctor } from './commands/doctor.ts';
import { help } from './commands/help.ts';
import { init } from './commands/init.ts';
import { keyAdd, keyList, keyRemove } from './commands/keys.ts';
import { limits } from './commands/limits.ts';
import { login, logout } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { migrate } from './commands/migrate.ts';
import { mqttBind, mqttBindings, mqttUnbind } from './commands/mqtt-bindings.ts';
import { mqttClients } from './commands/mqtt-clients.ts';
import { mqttPub } from './commands/mqtt-pub.ts';
import { mqttSub } from './commands/mqtt-sub.ts';
import { pull } from './commands/pull.ts';
import { push } from './commands/push.ts';
import { restore } from './commands/restore.ts';
import { rollback } from './commands/rollback.ts';
import { run } from './commands/run.ts';
import { secretsRotate, secretsStatus } from './commands/secrets.ts';
import { selftestIsolation } from './commands/selftest-isolation.ts';
import { send } from './commands/send.ts';
import { start } from './commands/start.ts';
import { tenantAdd } from './commands/tenant-add.ts';
import { tenantList } from './commands/tenant-list.ts';
import { tenantRabbitmqSetup } from './commands/tenant-rabbitmq-setup.ts';
import { tenantReload } from './commands/tenant-reload.ts';
import { test } from './commands/test.ts';
import { trace } from './commands/trace.ts';
import { types } from './commands/types.ts';
import { userAdd, userChange, userList, userRemove } from './commands/users.ts';
import { version } from './commands/version.ts';
import { versions } from './commands/versions.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  start,
  doctor,
  login,
  logout,
  tenantAdd,
  tenantList,
  tenantReload,
  tenantRabbitmqSetup,
  init,
  test,
  userList,
  userAdd,
  userChange,
  userRemove,
  keyList,
  keyAdd,
  keyRemove,
  push,
  pull,
  types,
  dev,
  versions,
  rollback,
  run,
  send,
  trace,
  bindings,
  logs,
  deadLettersList,
  deadLettersGroups,
  deadLettersShow,
  deadLettersTry,
  deadLettersReplay,
  deadLettersEdit,
  deadLettersPurge,
  limits,
  mqttClients,
  mqttPub,
  mqttSub,
  mqttBind,
  mqttUnbind,
  mqttBindings,
  selftestIsolation,
  backup,
  restore,
  secretsStatus,
  secretsRotate,
  migrate,
  completion,
  help,
  version,
];
