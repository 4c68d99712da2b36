import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a data directory consists of. Paths are relative to it, with forward slashes. */
export interface DataFiles {
  /** SQLite files. */
  readonly databases: readonly string[];
  /** Tokens, passwords and keys that the host made. */
  readonly secrets: readonly string[];
}

/** By their names: a configuration, a log or SQLite's companions beside them are not the host's data. */
const DATABASE = /\.db$/;
const SECRET = /\.(token|password|key)$/;

/** Directories that hold data; whatever else stands there is somebody else's. */
const DIRECTORIES = ['', 'tenants'] as const;

/** Finds the files of a data directory that a backup must have. */
export function dataFilesOf(dataDir: string): DataFiles {
  const paths = DIRECTORIES.flatMap((directory) => filesIn(dataDir, directory));
  return {
    databases: paths.filter((path) => DATABASE.test(path)),
    secrets: paths.filter((path) => SECRET.test(path)),
  };
}

function filesIn(dataDir: string, directory: string): string[] {
  const full = join(dataDir, directory);
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => (directory === '' ? name : `${directory}/${name}`))
    .sort();
}
