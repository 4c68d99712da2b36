import { readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built console. */
export interface ConsoleFile {
  readonly path: string;
  readonly contentType: string;
  /** The same, compressed by the build; undefined when it gained nothing. */
  readonly gzipPath: string | undefined;
}

/** By URL path without the leading slash, such as `index.html` or `assets/main-B2x.js`. Empty when it was not built. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Where scripts/build-console.js puts the page. */
export const CONSOLE_DIRECTORY = fileURLToPath(new URL('./console/dist', import.meta.url));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** Lists what may be served: nothing outside this list can be asked for, whatever a path says. */
export function findConsoleFiles(directory: string): ConsoleFiles {
  const names = new Set(listFiles(directory));
  const files = [...names].flatMap((name): readonly [string, ConsoleFile][] => {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) return [];
    const path = join(directory, name);
    const gzipPath = names.has(`${name}.gz`) ? `${path}.gz` : undefined;
    return [[name.replaceAll(sep, '/'), { path, contentType, gzipPath }]];
  });
  return new Map(files);
}

function listFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
