/** What is installed is what was looked at: exact versions, contents by their hash, no code at install time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
}

const ROOT = join(import.meta.dirname, '..');
const read = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
const MANIFEST = read<Manifest>('package.json');
const LOCKED = Object.entries(read<{ packages: Record<string, Locked> }>('package-lock.json').packages).filter(
  ([path]) => path !== '',
);

/** Types and the compiler may move within a version that breaks nothing; the lockfile pins them all the same. */
const MAY_FLOAT = new Set(['@types/node', 'typescript']);

/** It has prebuilt binaries inside and runs without its script, which would compile one where there is none. */
const WITH_INSTALL_SCRIPT = ['node_modules/isolated-vm'];

describe('dependencies', () => {
  it('are exact versions, and the lockfile has the same ones', () => {
    const named = { ...MANIFEST.dependencies, ...MANIFEST.optionalDependencies, ...MANIFEST.devDependencies };
    const locked = new Map(LOCKED.map(([path, { version }]) => [path, version]));
    for (const [name, version] of Object.entries(named)) {
      if (MAY_FLOAT.has(name)) continue;
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      assert.equal(locked.get(`node_modules/${name}`), version, name);
    }
  });

  it('are known by the hash of their content, wherever they are fetched from', () => {
    for (const [path, { integrity, resolved }] of LOCKED) {
      assert.match(integrity ?? '', /^sha512-/, path);
      assert.equal(resolved, undefined, path);
    }
  });

  it('run no code when they are installed, but for one that was looked at', () => {
    const scripted = LOCKED.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    assert.deepEqual(scripted, WITH_INSTALL_SCRIPT);
  });
});
