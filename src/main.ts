import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { MigrateOptions, StartOptions } from './cli/command.ts';
import { runCli } from './cli/run-cli.ts';
import { languageOf, readCliEnvironment } from './config/cli-environment.ts';

/** The entry of the command line and of the host. The only place that ends the process. */

// `v8host … | head` closes our output early: that ends the program quietly, as it does other tools.
process.stdout.on('error', () => process.exit(0));

const code = await runCli(process.argv.slice(2), {
  terminal: {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
  },
  lang: languageOf(),
  version: readVersion(),
  readEnvironment: (configFile) => readCliEnvironment(configFile),
  hostCommands: {
    // Loaded only here: commands that speak to a running host start in a fraction of the time.
    startHost: async (options: StartOptions) => (await import('./host/start-host.ts')).startHost(options),
    migrateData: async (options: MigrateOptions) => (await import('./host/migrate-data.ts')).migrateData(options),
  },
});
process.exit(code);

function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
