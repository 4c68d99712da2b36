import type { Command } from './command.ts';
import { deadLettersEdit } from './commands/dead-letters-edit.ts';
import { deadLettersGroups } from './commands/dead-letters-groups.ts';
import { deadLettersList } from './commands/dead-letters-list.ts';
import { deadLettersPurge } from './commands/dead-letters-purge.ts';
import { deadLettersReplay } from './commands/dead-letters-replay.ts';
import { deadLettersShow } from './commands/dead-letters-show.ts';
import { deadLettersTry } from './commands/dead-letters-try.ts';
import { help } from './commands/help.ts';
import { limits } from './commands/limits.ts';
import { migrate } from './commands/migrate.ts';
import { mqttClients } from './commands/mqtt-clients.ts';
import { mqttPub } from './commands/mqtt-pub.ts';
import { push } from './commands/push.ts';
import { run } from './commands/run.ts';
import { send } from './commands/send.ts';
import { start } from './commands/start.ts';
import { tenantAdd } from './commands/tenant-add.ts';
import { tenantList } from './commands/tenant-list.ts';
import { tenantRabbitmqSetup } from './commands/tenant-rabbitmq-setup.ts';
import { tenantReload } from './commands/tenant-reload.ts';
import { trace } from './commands/trace.ts';
import { version } from './commands/version.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  start,
  tenantAdd,
  tenantList,
  tenantReload,
  tenantRabbitmqSetup,
  push,
  run,
  send,
  trace,
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
  migrate,
  help,
  version,
];
