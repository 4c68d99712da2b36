/** The help of every command, read as a newcomer would: what it does, how it is called, by example, and how it ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { optionsOf, parseArguments } from '../../src/cli/parse-arguments.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { displayWidth } from '../../src/cli/text-table.ts';
import type { Lang } from '../../src/core/errors.ts';

/** What the command line prints in this process; help asks no host and reads no environment. */
async function printed(lang: Lang, ...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const never = () => Promise.reject(new Error('help does nothing but help'));
  const code = await runCli(argv, {
    terminal: {
      out: (text) => {
        out += `${text}\n`;
      },
      err: (text) => {
        err += `${text}\n`;
      },
    },
    lang,
    version: '1.2.3',
    loginFile: '/nowhere/login.json',
    hostCommands: {
      startHost: never,
      migrateData: never,
      restoreData: never,
      testScripts: never,
      openMqttLink: never,
      examineHost: never,
    },
    readEnvironment: () => {
      throw new Error('help reads no environment');
    },
  });
  return { code, out, err };
}

const HEADS = { zh: ['用法', '选项', '例', '退出码：'], en: ['Usage', 'Options', 'Examples', 'Exit codes: '] } as const;

/** Words as a shell would hand them over: quotes keep blanks together. */
function shellWords(line: string): string[] {
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

for (const lang of ['zh', 'en'] as const) {
  describe(`the help in ${lang}`, () => {
    for (const command of COMMANDS) {
      it(`of ${command.name} has a usage, described options, examples and exit codes`, async () => {
        const { code, out, err } = await printed(lang, ...command.name.split(' '), '--help');
        assert.deepEqual([code, err], [0, '']);
        const [usage, options, examples, exits] = HEADS[lang];
        assert.ok(command.summary[lang] !== '' && out.startsWith(command.summary[lang].slice(0, 10)));
        assert.match(
          out,
          new RegExp(`^${usage}: v8host ${[command.name, ...command.args].join(' ').split(' ')[0]}`, 'm'),
        );
        for (const argument of command.args) assert.ok(out.includes(argument), argument);
        assert.match(out, new RegExp(`^${options}:$`, 'm'));
        for (const [name, { value, summary }] of Object.entries(optionsOf(command))) {
          const line = out.split('\n').find((each) => each.startsWith(`  --${name}`));
          assert.ok(line?.includes(value ?? ''), name);
          assert.ok(summary[lang].trim() !== '', `--${name} says nothing`);
        }
        assert.match(out, new RegExp(`^${examples}:\\n {2}\\S`, 'm'));
        const told = out.slice(out.indexOf(`\n${exits}`)).replaceAll(/\s+/g, ' ');
        for (const number of command.client ? [0, 1, 2, 3, 4] : [0, 1, 2]) {
          assert.match(told, new RegExp(`(^|[ ：，])${number} [^,，\\d]`), `exit code ${number}`);
        }
        const longest = Math.max(
          ...out
            .split('\n')
            .filter((line) => !line.includes('v8host'))
            .map(displayWidth),
        );
        assert.ok(longest <= 100, `a line of ${longest} columns`);
      });
    }

    it('of all commands names each of them, and says how they end', async () => {
      const { code, out } = await printed(lang, '--help');
      assert.equal(code, 0);
      for (const { name } of COMMANDS) assert.match(out, new RegExp(`^ {2}${name}\\b`, 'm'), name);
      assert.ok(out.includes(HEADS[lang][3]));
    });
  });
}

describe('every example', () => {
  for (const { name, examples } of COMMANDS) {
    it(`of ${name} is a command line that the program takes, one of them its own`, () => {
      assert.ok(examples.some((example) => example.includes(`v8host ${name}`)));
      for (const example of examples) {
        const [line = ''] = /v8host [^)|>&]*/.exec(example) ?? [];
        const { command } = parseArguments(shellWords(line).slice(1), COMMANDS);
        assert.ok(command !== undefined, example);
      }
    });
  }
});
