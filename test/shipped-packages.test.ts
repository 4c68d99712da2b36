import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CONSOLE_PACKAGES, isAllowed, type Lockfile, shippedPackages } from '../scripts/shipped-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const LOCKFILE = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
const PRODUCT = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

describe('what ships', () => {
  it('has licences that are on the list alone', () => {
    const refused = shippedPackages(LOCKFILE).filter(({ licence }) => !isAllowed(licence));
    assert.deepEqual(refused, []);
  });

  it('is what runs, what the page of the console is made of, and what those need', () => {
    const names = new Set(shippedPackages(LOCKFILE).map(({ name }) => name));
    for (const name of [...Object.keys(PRODUCT.dependencies), ...CONSOLE_PACKAGES]) assert.ok(names.has(name), name);
    // Needed by vue and by fastify; tools of the development do not ship.
    for (const name of ['@vue/runtime-dom', 'find-my-way']) assert.ok(names.has(name), name);
    for (const name of ['typescript', '@biomejs/biome', 'playwright-core', 'yaml']) assert.ok(!names.has(name), name);
  });

  it('finds a nested package before the one above it', () => {
    const found = shippedPackages({
      packages: {
        '': {},
        'node_modules/vue': { dev: true, version: '1', license: 'MIT', dependencies: { a: '*' } },
        'node_modules/vue/node_modules/a': { dev: true, version: '2', license: 'MIT' },
        'node_modules/a': { dev: true, version: '1', license: 'GPL-3.0-only' },
      },
    });
    assert.deepEqual(
      found.map(({ name, version }) => `${name}@${version}`),
      ['a@2', 'vue@1'],
    );
  });

  it('judges expressions', () => {
    for (const allowed of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC']) assert.ok(isAllowed(allowed), allowed);
    for (const refused of ['', 'GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN x', 'MIT AND (ISC OR X)']) {
      assert.ok(!isAllowed(refused), refused);
    }
  });

  it('npm run sbom lists every shipped package without network', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { sbom: string } };
    const [command = '', ...args] = scripts.sbom.split(' ');
    const made = spawnSync(command, [...args, '--offline'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
    assert.equal(made.status, 0, made.stderr);
    const bom = JSON.parse(made.stdout) as {
      bomFormat: string;
      components: readonly { group?: string; name: string; version: string }[];
    };
    assert.equal(bom.bomFormat, 'CycloneDX');
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    for (const { name, version } of shippedPackages(LOCKFILE)) assert.ok(listed.has(`${name}@${version}`), name);
  });
});
