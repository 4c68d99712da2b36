import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { examineBroker } from '../../adapters/amqp/examine-broker.ts';
import { examineMongo } from '../../adapters/mongo/examine-mongo.ts';
import { examineRedis } from '../../adapters/redis/examine-redis.ts';
import { systemClock } from '../../adapters/system/system-clock.ts';
import { systemIds } from '../../adapters/system/system-ids.ts';
import type { ExamineOptions } from '../../cli/command.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { ConfigError } from '../../config/problem.ts';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, notice, problem, problemOf } from '../../core/finding.ts';
import { mongoUrlOf } from '../../core/mongo-settings.ts';
import { mqSettingsOf } from '../../core/mq-settings.ts';
import { sameTenant } from '../../core/tenant.ts';
import type { Log } from '../../ports/log.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { examineDataDir, examinePort, examineSandbox } from './examine-machine.ts';
import { examineMqtt } from './examine-mqtt.ts';
import { examineKeys } from './examine-secrets.ts';
import { examineTenants } from './examine-tenants.ts';

/** What an adapter would write into the log, the finding says. */
const QUIET: Log = {
  child: () => QUIET,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Looks over what this host would use, by connections of its own: it starts nothing and changes nothing that stays.
 * Ports are looked at only while no host runs. Never rejects.
 */
export async function examineHost({ configFile, hostRuns, progress }: ExamineOptions): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = loadConfig({ configFile });
  } catch (error: unknown) {
    return configFindings(error, configFile ?? 'v8host.config.json');
  }
  const dataDir = resolve(cwd(), config.dataDir);
  const findings: Finding[] = [fine('config', config.file ?? 'V8HOST_*', '配置有效', 'the configuration is valid')];
  const note = (area: string, more: readonly Finding[]): void => {
    progress?.(area);
    findings.push(...more);
  };
  findings.push(...examineNames(config), ...examineRetention(config));
  note('data', examineDataDir(dataDir));
  const { bind, port } = config.http;
  if (!hostRuns) note('ports', [await examinePort('http.port', bind, port, config.isConfigured('http.port'))]);
  const { box, findings: keys } = examineKeys(config, dataDir);
  findings.push(...keys);
  const { findings: databases, rows } = await examineTenants(config, dataDir, box);
  note('database', databases);
  note('queue', await examineQueues(config, rows));
  const clock = systemClock(config.timezone);
  const cacheUrl = config.cacheUrl?.reveal();
  const keepsSessions = config.mqtt.shared.enabled;
  if (cacheUrl !== undefined) note('cache', await examineRedis(cacheUrl, { clock, log: QUIET, keepsSessions }));
  note('documents', await examineDocuments(config, rows));
  note('mqtt', await examineMqtt(config, dataDir, rows, hostRuns));
  note('sandbox', await examineSandbox(config, QUIET));
  progress?.(undefined);
  return findings;
}

/** A finding for every wrong value, which names what to edit: the variable of the environment that gave it, else the file. */
function configFindings(error: unknown, file: string): readonly Finding[] {
  if (!(error instanceof ConfigError)) return [problemOf('config', file, coerceError(error).toRecord())];
  return error.problems.map(({ where, rule, variable = file }) =>
    problem('config', variable, `配置有误：${where}：${rule}`, `${where} is wrong: ${rule}`),
  );
}

/** Old names of settings. */
export function examineNames({ deprecations }: Pick<Config, 'deprecations'>): readonly Finding[] {
  return deprecations.map(({ name, instead }) =>
    notice('config', name, `旧名，仍有效：改为 ${instead}。`, `an old name that still works: write ${instead}.`),
  );
}

/** Windows that fit each other: what is kept long needs what explains it as long. */
function examineRetention({ retention }: Config): readonly Finding[] {
  const { deadLetterDays, attemptDays } = retention;
  if (attemptDays >= deadLetterDays) return [];
  return [
    notice(
      'config',
      'retention.attemptDays',
      `${attemptDays} 天短于 retention.deadLetterDays 的 ${deadLetterDays} 天：较早死信的运行记录会先消失，两者宜相等。`,
      `${attemptDays} days are fewer than the ${deadLetterDays} of retention.deadLetterDays: the attempts of an old dead letter go before it does. Make them equal.`,
    ),
  ];
}

/** RabbitMQ with each tenant's own account; the embedded queue is a file of the data directory. */
async function examineQueues(config: Config, rows: readonly TenantSettings[]): Promise<readonly Finding[]> {
  const queueUrl = config.queueUrl?.reveal();
  if (queueUrl === undefined) return [fine('queue', 'host.db', '内置队列', 'the embedded queue')];
  const registry = { mainTenant: config.tenant, queueUrl, rows };
  const findings: Finding[] = [];
  for (const tenant of tenantsOf(config, rows)) {
    const settings = mqSettingsOf(tenant, registry);
    if (!settings.ok) findings.push(problemOf('queue', tenant, settings.error));
    else findings.push(...(await examineBroker(tenant, settings.value, config.queue.type, systemIds())));
  }
  return findings;
}

/** The MongoDB of each tenant that has one; the documents of the others are in databases that were looked at. */
async function examineDocuments(config: Config, rows: readonly TenantSettings[]): Promise<readonly Finding[]> {
  const registry = { mainTenant: config.tenant, mongoUrl: config.mongoUrl?.reveal(), rows };
  const findings: Finding[] = [];
  for (const tenant of tenantsOf(config, rows)) {
    const url = mongoUrlOf(tenant, registry);
    if (!url.ok) findings.push(problemOf('documents', tenant, url.error));
    else if (url.value !== undefined) findings.push(...(await examineMongo(tenant, url.value)));
  }
  return findings;
}

/** The main tenant first, which may have no row. */
function tenantsOf(config: Config, rows: readonly TenantSettings[]): readonly string[] {
  const children = rows.map(({ tenant }) => tenant).filter((tenant) => !sameTenant(tenant, config.tenant));
  return [config.tenant, ...children];
}
