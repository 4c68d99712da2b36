import process from 'node:process';
import type { ExamineOptions, MigrateOptions, RestoreOptions, StartOptions, TestOptions } from './cli/command.ts';
import { runCli } from './cli/run-cli.ts';
import { visibleText } from './cli/visible-text.ts';
import { languageOf, loginFileOf, readCliEnvironment } from './config/cli-environment.ts';
import { productVersion } from './host/product-version.ts';
import type { MqttLinkOptions } from './ports/mqtt-link.ts';

/** The entry of the command line and of the host. The only place that ends the process. */

// `v8host … | head` closes our output early: that ends the program quietly, as it does other tools.
process.stdout.on('error', () => process.exit(0));

/** A line of progress stands on the terminal. */
let inProgress = false;

/** Writes over the line that stands there. */
function clear(): string {
  const was = inProgress;
  inProgress = false;
  return was ? '\r\u001b[K' : '';
}

function progress(text: string | undefined): void {
  const before = clear();
  inProgress = text !== undefined;
  process.stderr.write(`${before}${visibleText(text ?? '').slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

const code = await runCli(process.argv.slice(2), {
  terminal: {
    out: (text) => {
      if (inProgress) progress(undefined);
      process.stdout.write(`${text}\n`);
    },
    err: (text) => void process.stderr.write(`${clear()}${text}\n`),
    ...(process.stderr.isTTY ? { progress } : {}),
  },
  lang: languageOf(),
  version: productVersion(),
  loginFile: loginFileOf(),
  readEnvironment: (configFile) => readCliEnvironment(configFile),
  hostCommands: {
    // Loaded only here: commands that speak to a running host start in a fraction of the time.
    startHost: async (options: StartOptions) => (await import('./host/start-host.ts')).startHost(options),
    migrateData: async (options: MigrateOptions) => (await import('./host/migrate-data.ts')).migrateData(options),
    testScripts: async (options: TestOptions) => (await import('./host/test-scripts.ts')).testScripts(options),
    openMqttLink: async (options: MqttLinkOptions) =>
      (await import('./adapters/mqtt/mqtt-link.ts')).openMqttLink(options),
    examineHost: async (options: ExamineOptions) =>
      (await import('./host/doctor/examine-host.ts')).examineHost(options),
    restoreData: async (options: RestoreOptions) => (await import('./host/restore-data.ts')).restoreData(options),
  },
});
process.exit(code);
