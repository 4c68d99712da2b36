/** The import table of the architecture as data, and the checks over it. */
import { importsOf, type SourceFile } from './source-tree.ts';

/** What the files of one zone may import. A zone may always import itself. */
export interface ZoneRule {
  /** Our zones, by value. */
  readonly zones: readonly string[];
  /** Our zones, `import type` only. */
  readonly types?: readonly string[];
  /** npm packages and node built-ins; `node:*` stands for every built-in. */
  readonly packages?: readonly string[];
}

/** By folder below src; `adapters/*` are zones of their own. A zone without a row fails the test. */
export const IMPORT_TABLE: Readonly<Record<string, ZoneRule>> = {
  core: { zones: [] },
  protocol: { zones: ['core'] },
  sandbox: { zones: ['core', 'protocol'], packages: ['isolated-vm', 'node:process', 'node:fs', 'node:v8'] },
  ports: { zones: ['core'], types: ['protocol'] },
  'v8-api': { zones: ['core', 'ports'], types: ['protocol'], packages: ['node:crypto'] },
  app: { zones: ['core', 'ports', 'v8-api'], types: ['protocol'] },
  'adapters/amqp': { zones: ['core', 'ports'], packages: ['amqplib', 'node:*'] },
  'adapters/embedded': { zones: ['core', 'ports', 'protocol'], packages: ['node:*'] },
  'adapters/http': { zones: ['core', 'ports'], packages: ['undici', 'node:*'] },
  'adapters/modules': { zones: ['core', 'ports'], types: ['protocol'], packages: ['node:*'] },
  'adapters/mongo': { zones: ['core', 'ports'], packages: ['mongodb', 'node:*'] },
  'adapters/mqtt': { zones: ['core', 'ports'], packages: ['mqtt-packet', 'ws', 'node:*'] },
  'adapters/process': { zones: ['core', 'ports', 'protocol'], packages: ['node:*'] },
  'adapters/redis': { zones: ['core', 'ports'], packages: ['ioredis', 'node:*'] },
  'adapters/sql': { zones: ['core', 'ports'], packages: ['kysely', 'mysql2', 'node:*'] },
  'adapters/system': { zones: ['core', 'ports'], packages: ['ulid', 'node:*'] },
  admin: { zones: ['core', 'ports', 'app'], packages: ['fastify', 'jose', 'zod', 'node:*'] },
  // The page in the browser: it shares the pure rules and the types of what the API sends, and no other code.
  'admin/console': {
    zones: ['core'],
    types: ['ports', 'app'],
    // The types of `V8` are text for the editor.
    packages: [
      'vue',
      'vue-router',
      'element-plus',
      '@element-plus/icons-vue',
      'monaco-editor',
      'runtime-types/v8.d.ts?raw',
    ],
  },
  cli: { zones: ['core', 'ports'], types: ['app'], packages: ['node:*'] },
  config: { zones: ['core', 'ports'], packages: ['zod', 'node:*'] },
  telemetry: {
    zones: ['core', 'ports'],
    packages: [
      'pino',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
      'node:*',
    ],
  },
};

/** Files that know all the parts. */
const FREE = new Set(['main', 'compose', 'lifecycle', 'host']);

/**
 * The zone of a file: `src/core/where.ts` -> `core`, `src/adapters/sql/a.ts` -> `adapters/sql`, `src/main.ts` -> `main`,
 * and `admin/console` apart from `admin`.
 */
export function zoneOf(path: string): string {
  const [first = '', second = ''] = path
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .split('/');
  const isPart = first === 'adapters' || (first === 'admin' && second === 'console');
  return isPart ? `${first}/${second}` : first;
}

/** Every import that the table does not allow, as `file -> target`. */
export function findBreaches(files: readonly SourceFile[], table = IMPORT_TABLE): readonly string[] {
  return files.flatMap((file) => {
    const zone = zoneOf(file.path);
    if (FREE.has(zone)) return [];
    const rule = table[zone];
    if (rule === undefined) return [`${file.path}: zone ${zone} has no row in the import table`];
    return importsOf(file)
      .filter(({ target, typeOnly }) => !isAllowed(zone, rule, target, typeOnly))
      .map(({ target, typeOnly }) => `${file.path} -> ${target}${typeOnly ? ' (types)' : ''}`);
  });
}

function isAllowed(zone: string, rule: ZoneRule, target: string, typeOnly: boolean): boolean {
  if (!target.startsWith('src/')) return isAllowedPackage(rule.packages ?? [], target);
  const targetZone = zoneOf(target);
  if (targetZone === zone || rule.zones.includes(targetZone)) return true;
  return typeOnly && (rule.types ?? []).includes(targetZone);
}

function isAllowedPackage(packages: readonly string[], target: string): boolean {
  return packages.includes(target) || (target.startsWith('node:') && packages.includes('node:*'));
}

/** One import cycle as a list of paths, type imports left out because they load nothing; undefined when there is none. */
export function findCycle(files: readonly SourceFile[]): readonly string[] | undefined {
  const edges = new Map(files.map((file) => [file.path, importsOf(file).flatMap(runtimeTarget)]));
  const done = new Set<string>();
  for (const path of edges.keys()) {
    const cycle = follow(path, [], edges, done);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function runtimeTarget({ target, typeOnly }: { target: string; typeOnly: boolean }): readonly string[] {
  return typeOnly || !target.startsWith('src/') ? [] : [target];
}

function follow(
  path: string,
  trail: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
  if (done.has(path)) return undefined;
  for (const next of edges.get(path) ?? []) {
    const cycle = follow(next, [...trail, path], edges, done);
    if (cycle !== undefined) return cycle;
  }
  done.add(path);
  return undefined;
}
