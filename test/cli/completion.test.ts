/** Completion of shells: by real ones where they are installed, and by the text of each script. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { COMPLETION_SCRIPTS } from '../../src/cli/completion-scripts.ts';
import { optionsOf } from '../../src/cli/parse-arguments.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };
const scriptOf = (shell: string): string => COMPLETION_SCRIPTS[shell]?.(COMMANDS) ?? '';
const optionNames = (command: (typeof COMMANDS)[number]): string[] =>
  Object.keys(optionsOf(command)).map((name) => `--${name}`);

/** How to run a script in a shell whose completion calls functions as bash does. */
const SHELLS = [
  {
    shell: 'bash',
    paths: ['/bin/bash', '/usr/bin/bash'],
    args: ['--norc', '--noprofile'],
    set: (words: string) => words,
  },
  {
    shell: 'zsh',
    paths: ['/bin/zsh', '/usr/bin/zsh'],
    args: ['-f'],
    // What its own bashcompinit sets before it calls such a function.
    set: (words: string) => `setopt ksharrays; ${words}`,
  },
].flatMap(({ paths, ...rest }) => {
  const path = paths.find((each) => existsSync(each));
  return path === undefined ? [] : [{ ...rest, path }];
});

type Shell = (typeof SHELLS)[number];

/** What the shell offers behind each of these lines; the last word of a line is the one that is being typed. */
function offered(t: TestContext, { shell, path, args, set }: Shell, lines: readonly (readonly string[])[]): string[][] {
  const dir = tempDir(t);
  const asks = lines.map((line) => {
    const words = ['v8host', ...line].map((word) => `'${word}'`).join(' ');
    return `${set(`COMP_WORDS=(${words})`)}; COMP_CWORD=${line.length}; COMPREPLY=(); _v8host; echo "\${COMPREPLY[*]}"`;
  });
  const script = join(dir, `ask.${shell}`);
  writeFileSync(script, [scriptOf(shell), ...asks].join('\n'));
  const out = execFileSync(path, [...args, script], { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return out.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
}

it('a shell is there to complete in', () => {
  assert.ok(SHELLS.some(({ shell }) => shell === 'bash'));
});

for (const shell of SHELLS) {
  describe(`completion in ${shell.shell}`, LIMIT, () => {
    it('knows every command', (t) => {
      const groups = [
        ...new Set(COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0] ?? '')),
      ];
      const [first = [], ...second] = offered(t, shell, [[''], ...groups.map((group) => [group, ''])]);
      assert.deepEqual(first, [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))]);
      for (const [index, group] of groups.entries()) {
        const wanted = COMMANDS.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.split(' ')[1] ?? ''] : []));
        assert.deepEqual(second[index], wanted, group);
      }
    });

    it('knows the options of each command and no others', (t) => {
      const answers = offered(
        t,
        shell,
        COMMANDS.map(({ name }) => [...name.split(' '), '--']),
      );
      for (const [index, command] of COMMANDS.entries()) {
        assert.deepEqual(answers[index], optionNames(command), command.name);
      }
    });

    it('offers files, not options, where a value or a file is meant', (t) => {
      const [begun, value, argument] = offered(t, shell, [
        ['push', '.', '--dr'],
        ['run', 'order', '--param', ''],
        ['push', 'as'],
      ]);
      assert.deepEqual([begun, value, argument], [['--dry-run'], [], []]);
      assert.match(scriptOf(shell.shell), /^complete -o default -F _v8host v8host$/m);
    });
  });
}

describe('the script for fish', () => {
  const lines = scriptOf('fish').split('\n');

  it('knows every command and option, each with its meaning', () => {
    for (const command of COMMANDS) {
      const [first = '', second] = command.name.split(' ');
      const isOffered = lines.some((line) => line.endsWith(` -f -a ${second ?? first}`));
      assert.ok(isOffered, command.name);
      const seen = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
      for (const [name, { value }] of Object.entries(optionsOf(command))) {
        const begin = `complete -c v8host -n '${seen.join('; and ')}' -l ${name}${value === undefined ? '' : ' -r'} -d '`;
        assert.ok(
          lines.some((line) => line.startsWith(begin)),
          `${command.name} --${name}`,
        );
      }
    }
  });

  it('has each line once, and no quote that ends early', () => {
    assert.equal(new Set(lines).size, lines.length);
    for (const line of lines) assert.equal((line.replaceAll("\\'", '').match(/'/g) ?? []).length % 2, 0, line);
  });
});

it('the script for zsh gives a plain shell completion first', () => {
  assert.match(
    scriptOf('zsh'),
    /^whence compdef .*compinit.*\nautoload -U \+X bashcompinit && bashcompinit\n_v8host\(\)/,
  );
});
