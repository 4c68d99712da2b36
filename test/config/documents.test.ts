import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import { knownVariables } from '../../src/config/read-environment.ts';
import { renderConfigurationPage } from '../../src/config/render-docs.ts';
import { SETTING_LIST } from '../../src/config/setting-list.ts';

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** `NAME: value` lines below an `environment:` of a compose file, comments and quotes taken off. */
function composeEnvironment(yaml: string): Record<string, string> {
  const variables: Record<string, string> = {};
  let indent = -1;
  for (const line of yaml.split('\n')) {
    const depth = line.search(/\S/);
    if (depth === -1 || line.trimStart().startsWith('#')) continue;
    if (line.trim() === 'environment:') indent = depth;
    else if (depth <= indent) indent = -1;
    else if (indent >= 0) {
      const [, name = '', value = ''] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? assert.fail(`not NAME: value: ${line}`);
      variables[name] = value.replace(/\s+#.*$/, '').replace(/^(["'])(.*)\1$/, '$2');
    }
  }
  return variables;
}

/** `NAME=value` words of the ENV instructions, line continuations joined. */
function dockerEnvironment(dockerfile: string): Record<string, string> {
  const lines = dockerfile.replace(/\\\n\s*/g, ' ').split('\n');
  const words = lines.filter((line) => line.startsWith('ENV ')).flatMap((line) => line.slice(4).trim().split(/\s+/));
  return Object.fromEntries(words.map((word) => word.split(/=(.*)/, 2) as [string, string]));
}

describe('documentation of the configuration', () => {
  for (const [lang, path] of [
    ['en', 'docs/configuration.md'],
    ['zh', 'docs/configuration.zh-CN.md'],
  ] as const) {
    it(`${path} is what npm run docs writes`, () => assert.equal(read(path), renderConfigurationPage(lang)));
  }

  it('has one row for every setting, with a meaning in both languages', () => {
    for (const lang of ['en', 'zh'] as const) {
      const rows = renderConfigurationPage(lang)
        .split('\n')
        .filter((line) => line.startsWith('| `'));
      assert.deepEqual(
        rows.map((row) => row.split('`')[1]),
        SETTING_LIST.map(({ path }) => path),
      );
      assert.ok(SETTING_LIST.every(({ doc }) => doc[lang].length > 5));
    }
    assert.equal(new Set(SETTING_LIST.map(({ variable }) => variable)).size, SETTING_LIST.length);
  });
});

describe('container files', () => {
  const compose = composeEnvironment(read('compose.yaml'));
  const image = dockerEnvironment(read('Dockerfile'));

  it('set variables, every one of them a setting', () => {
    const known = new Set(knownVariables());
    for (const variables of [compose, image]) {
      const ours = Object.keys(variables).filter((name) => name.startsWith('V8HOST_'));
      assert.ok(ours.length > 0);
      assert.deepEqual(
        ours.filter((name) => !known.has(name)),
        [],
      );
    }
  });

  it('are a configuration that the host accepts', () => {
    const source = { env: { ...image, ...compose }, cwd: '/app', readFile: () => undefined };
    const config = loadConfig({ source });
    assert.equal(config.dataDir, '/data');
    assert.equal(config.http.bind, '0.0.0.0');
  });

  it('give the host longer to stop than it takes to drain', () => {
    const source = { env: { ...image, ...compose }, cwd: '/app', readFile: () => undefined };
    const grace = Number(/stop_grace_period: (\d+)s/.exec(read('compose.yaml'))?.[1]);
    assert.ok(grace > loadConfig({ source }).drainSeconds);
  });
});
