import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cwd, pid } from 'node:process';
import { createDemoErp } from '../admin/demo-erp.ts';
import { type ListenAddress, listen } from '../admin/listen.ts';
import type { MetricsSource } from '../admin/metrics-route.ts';
import { type AdminServerOptions, createAdminServer } from '../admin/server.ts';
import type { StartOptions, Terminal } from '../cli/command.ts';
import { composeHost, type Host, type HostSettings } from '../compose.ts';
import { type Config, loadConfig } from '../config/load-config.ts';
import { parseApiKey } from '../core/api-key.ts';
import { AppError, coerceError, describeError, orThrow } from '../core/errors.ts';
import { drainWithin, Releasers } from '../lifecycle.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import { createLogger } from '../telemetry/logger.ts';
import { provideAdminToken } from './admin-token.ts';
import { circuitPoliciesOf } from './circuit-policies-of.ts';
import { makeDataDir } from './data-dir.ts';
import { provideDemo } from './demo.ts';
import { hostBanner } from './host-banner.ts';
import { limitPolicyOf } from './limit-policy-of.ts';
import { openAdapters } from './open-adapters.ts';
import { mainMqttOf, type OpenedMqtt, openMqtt } from './open-mqtt.ts';
import { productVersion } from './product-version.ts';
import { StopSignals } from './stop-signals.ts';

/** Exit codes of the host (defaults.md 2). */
const EXIT = { clean: 0, startFailed: 1, usage: 2, drainDeadline: 3, newerSchema: 4 } as const;

/** After a second signal the drain has this long. Seconds. */
const HURRIED_DRAIN_SECONDS = 2;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Runs the host until it is told to stop. @returns the exit code. */
export async function startHost(options: StartOptions): Promise<number> {
  const signals = new StopSignals();
  let config: Config;
  try {
    config = loadConfig({ configFile: options.configFile });
  } catch (e) {
    options.err(describeError(coerceError(e).toRecord(), options.lang));
    return EXIT.usage;
  }
  const log = createLogger({ level: config.log.level, format: config.log.format });
  for (const { name, instead } of config.deprecations) log.warn('config.deprecated', { name, instead });
  const releasers = new Releasers();
  try {
    const { host, mqtt } = await bringUp(config, options, log, releasers);
    await signals.first;
    await mqtt.end();
    return await shutDown(host, config, signals, log);
  } catch (e) {
    const error = coerceError(e);
    log.error('host.start_failed', { code: error.code, err: error });
    options.err(describeError(error.toRecord(), options.lang));
    return error.code === 'SCHEMA_NEWER' ? EXIT.newerSchema : EXIT.startFailed;
  } finally {
    await releasers.releaseAll(log);
    log.info('host.stopped');
  }
}

interface Running {
  readonly host: Host;
  readonly mqtt: OpenedMqtt;
}

async function bringUp(config: Config, options: StartOptions, log: Log, releasers: Releasers): Promise<Running> {
  const dataDir = resolve(cwd(), config.dataDir);
  makeDataDir(dataDir);
  const demo = config.demo && !options.noDemo;
  const erp = demo ? await startDemoErp(releasers) : undefined;
  const adapters = await openAdapters(
    config,
    dataDir,
    log,
    releasers,
    erp === undefined ? [] : [`127.0.0.1:${erp.port}`],
  );
  const host = composeHost(adapters, settingsOf(config, mainMqttOf(config, dataDir, demo)));
  const token = provideAdminToken(dataDir, config.http.token?.reveal());
  const metrics: MetricsSource = {
    contentType: adapters.metrics.contentType,
    render: async (httpConnections) => adapters.metrics.render({ ...(await host.gauges()), httpConnections }),
  };
  const address = await openAdmin(
    config,
    { services: host.services, identity: host.identity, token, metrics, tracer: adapters.tracer },
    log,
    releasers,
  );
  publishAddress(dataDir, address.url, releasers);
  const hasDemo =
    erp !== undefined && (await provideDemo(host.services, mainStore(adapters.directory), `${erp.url}/erp`));
  // Before the consumers: their scripts, and what the last process left in the outbox, may speak to devices.
  const mqtt = await openMqtt(config, { host, adapters, dataDir, log }, releasers);
  await host.start();
  const setupCode = await host.firstAdmin.open();
  log.info('host.started', { url: address.url, tenantId: config.tenant });
  announce(config, options, bannerOf(config, options, { dataDir, address, hasDemo, mqtt, setupCode }));
  return { host, mqtt };
}

/** Stops in order: no new work, what runs ends, then everything is released. */
async function shutDown(host: Host, config: Config, signals: StopSignals, log: Log): Promise<number> {
  log.info('host.drain_started', { inFlight: host.inFlight.size, seconds: config.drainSeconds });
  const result = await drainWithin(host.drain(), config.drainSeconds, signals.second, HURRIED_DRAIN_SECONDS);
  return result === 'drained' ? EXIT.clean : EXIT.drainDeadline;
}

async function startDemoErp(releasers: Releasers): Promise<ListenAddress> {
  const server = createDemoErp();
  releasers.add('demo ERP', () => server.close());
  return listen(server, { bind: '127.0.0.1', port: 0, portConfigured: true });
}

async function openAdmin(
  config: Config,
  parts: Pick<AdminServerOptions, 'services' | 'identity' | 'token' | 'metrics' | 'tracer'>,
  log: Log,
  releasers: Releasers,
): Promise<ListenAddress> {
  const server = createAdminServer({
    ...parts,
    publicUrl: config.http.publicUrl,
    trustedProxies: config.http.trustedProxies,
    allowedOrigins: config.http.allowedOrigins,
    keys: config.http.keys.map((text) => orThrow(parseApiKey(text))),
    lang: config.lang,
    timezone: config.timezone,
    log: log.child('admin'),
  });
  releasers.add('HTTP', () => server.close());
  const { bind, port } = config.http;
  const address = await listen(server, { bind, port, portConfigured: config.isConfigured('http.port') });
  // Such as no file descriptors left; without a listener it would end the process.
  server.server.on('error', (error) => log.error('http.listener_failed', { err: coerceError(error) }));
  log.info('http.listening', { url: address.url });
  return address;
}

/** Where the command line on this machine finds the host. */
function publishAddress(dataDir: string, url: string, releasers: Releasers): void {
  const path = join(dataDir, 'host.json');
  writeFileSync(path, `${JSON.stringify({ url, pid })}\n`);
  releasers.add('host.json', () => rmSync(path, { force: true }));
}

function mainStore(directory: TenantDirectory) {
  const [store] = directory.open();
  if (store === undefined) throw new AppError('INTERNAL');
  return store;
}

/** The part of the configuration that the use cases need. */
export function settingsOf(config: Config, mqtt: HostSettings['mqtt']): HostSettings {
  const { deadLetterDays, inboxDays, attemptDays, logDays, versionDays, auditDays } = config.retention;
  return {
    lang: config.lang,
    mqtt,
    limits: limitPolicyOf(config),
    circuits: circuitPoliciesOf(config),
    mq: { mainTenant: config.tenant, queueUrl: config.queueUrl?.reveal() },
    entryCallsPerSecond: config.http.callsPerSecond,
    reconcileMs: config.reconcileSeconds * 1000,
    identity: {
      tokenMs: config.identity.tokenHours * HOUR_MS,
      sessionMs: config.identity.loginDays * DAY_MS,
      rotationMs: config.identity.keyRotationDays * DAY_MS,
    },
    // The embedded queue waits for ever.
    consumerTimeoutMs:
      config.queueUrl === undefined ? Number.POSITIVE_INFINITY : config.queue.consumerTimeoutSeconds * 1000,
    retention: {
      deadLettersMs: deadLetterDays * DAY_MS,
      inboxMs: inboxDays * DAY_MS,
      attemptsMs: attemptDays * DAY_MS,
      logsMs: logDays * DAY_MS,
      versionsMs: versionDays * DAY_MS,
      auditMs: auditDays * DAY_MS,
    },
  };
}

function bannerOf(
  config: Config,
  options: StartOptions,
  facts: {
    readonly dataDir: string;
    readonly address: ListenAddress;
    readonly hasDemo: boolean;
    readonly mqtt: OpenedMqtt;
    readonly setupCode: string | undefined;
  },
): string {
  const { dataDir, address, hasDemo, mqtt, setupCode } = facts;
  const site = config.http.publicUrl ?? address.url;
  return hostBanner({
    version: productVersion(),
    engines: enginesOf(config),
    tenant: config.tenant,
    dataDir,
    timezone: config.timezone,
    url: address.url,
    setupLink: setupCode === undefined ? undefined : `${site.replace(/\/$/, '')}/setup#${setupCode}`,
    movedFrom: address.moved ? config.http.port : undefined,
    demo: hasDemo,
    tokenInFile: config.http.token === undefined,
    mqtt: mqtt.listeners,
    mqttStandby: mqtt.isStandby,
    mqttAccount: hasDemo && config.mqtt.account === undefined && config.mqtt.password === undefined,
    demoChosen: config.demo || options.noDemo || config.isConfigured('demo'),
    lang: options.lang,
  });
}

function enginesOf(config: Config): string {
  const database = config.databaseUrl === undefined ? 'SQLite' : 'MySQL';
  const queue = config.queueUrl === undefined ? 'embedded queue' : 'RabbitMQ';
  return [database, queue, ...(config.cacheUrl === undefined ? [] : ['Redis'])].join(', ');
}

/** On stdout, unless that was promised to machines as JSON lines. */
function announce(config: Config, terminal: Terminal, banner: string): void {
  if (config.log.format === 'json') terminal.err(banner);
  else terminal.out(banner);
}
