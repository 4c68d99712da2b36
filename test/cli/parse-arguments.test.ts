import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { commandHelp, generalHelp } from '../../src/cli/help.ts';
import { optionsOf, parseArguments } from '../../src/cli/parse-arguments.ts';
import { displayWidth } from '../../src/cli/text-table.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

describe('the command line', () => {
  it('takes options anywhere, and arguments after --', () => {
    const before = parseArguments(['--json', '--tenant=t1', 'dead-letters', 'list'], COMMANDS);
    assert.equal(before.command?.name, 'dead-letters list');
    assert.deepEqual(before.options, { json: true, tenant: 't1' });
    const negative = parseArguments(['send', 'q', '--', '-5'], COMMANDS);
    assert.deepEqual(negative.args, ['q', '-5']);
  });

  it('takes values that begin with one dash, and those given by =', () => {
    assert.equal(parseArguments(['run', 'a', '--param', '-5'], COMMANDS).options.param, '-5');
    assert.equal(parseArguments(['run', 'a', '--param=--x'], COMMANDS).options.param, '--x');
  });

  it('takes -f for --follow and -h for --help, and a letter means one option everywhere', () => {
    assert.equal(parseArguments(['logs', '-f'], COMMANDS).options.follow, true);
    assert.equal(parseArguments(['send', '-h'], COMMANDS).options.help, true);
    assert.equal(parseArguments(['tenant', '-h'], COMMANDS).command?.name, 'help');
    assert.throws(() => parseArguments(['push', 'd', '-f'], COMMANDS), /push has no option -f/);
    const letters = new Map<string, string>();
    for (const command of COMMANDS) {
      for (const [name, { short }] of Object.entries(optionsOf(command))) {
        if (short === undefined) continue;
        assert.equal(letters.get(short) ?? name, name, `-${short} of ${command.name}`);
        letters.set(short, name);
      }
    }
  });

  it('asks no arguments of a command whose help is wanted', () => {
    assert.equal(parseArguments(['send', '--help'], COMMANDS).options.help, true);
  });

  const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
    [['strat'], /no command strat, did you mean start\?/],
    [['xyzzy'], /no command xyzzy$/],
    [['tenant'], /After tenant comes: tenant add, tenant list/],
    [['tenant', 'remove', 'x'], /After tenant comes/],
    [['dead-leters', 'list'], /did you mean dead-letters\?/],
    [['push', 'd', '--dryrun'], /push has no option --dryrun, did you mean --dry-run\?/],
    [['push', 'd', '-x'], /push has no option -x$/],
    [['start', '--tenant', 'x'], /start has no option --tenant/],
    [['run', 'a', '--param'], /--param needs a value: JSON\|@FILE/],
    [['run', 'a', '--tenant', '--json'], /--tenant needs a value/],
    [['run', 'a', '--tenant='], /--tenant needs a value/],
    [['run', 'a', '--json=yes'], /--json takes no value/],
    [['run'], /run needs the argument KEY/],
    [['send', 'q'], /send needs the argument JSON/],
    [['trace', 'a', 'b'], /trace does not know the extra argument b/],
    [['run', 'a', '--__proto__', 'x'], /no option --__proto__/],
    [['run', 'a', '--constructor'], /no option --constructor/],
  ];

  for (const [argv, message] of REFUSED) {
    it(`refuses: v8host ${argv.join(' ')}`, () => {
      assert.throws(
        () => parseArguments(argv, COMMANDS),
        (error) => error instanceof UsageError && message.test(error.text.en) && error.text.zh !== error.text.en,
      );
    });
  }
});

describe('the help', () => {
  it('names every command, and of each every option and example', () => {
    for (const lang of ['zh', 'en'] as const) {
      const general = generalHelp(COMMANDS, lang);
      for (const command of COMMANDS) {
        assert.ok(general.includes(`  ${command.name}`), command.name);
        const own = commandHelp(command, lang);
        for (const text of [...Object.keys(command.options), ...command.examples, command.summary[lang]]) {
          assert.ok(joined(own).includes(joined(text)), `${command.name}: ${text}`);
        }
      }
    }
  });

  it('has no line that is wider than a small window, but for examples', () => {
    for (const lang of ['zh', 'en'] as const) {
      const examples = new Set(COMMANDS.flatMap((command) => command.examples.map((example) => `  ${example}`)));
      const pages = [generalHelp(COMMANDS, lang), ...COMMANDS.map((command) => commandHelp(command, lang))];
      for (const line of pages.flatMap((page) => page.split('\n'))) {
        assert.ok(examples.has(line) || displayWidth(line) <= 100, line);
      }
    }
  });

  it('brackets what may be left out, and only that', () => {
    const usage = (name: string) =>
      COMMANDS.filter((command) => command.name === name).map((c) => commandHelp(c, 'en'));
    assert.match(usage('key add').join(), /^Usage: v8host key add NAME --role ROLE \[/m);
    assert.match(usage('user change').join(), /^Usage: v8host user change ACCOUNT \[--role ROLE\]/m);
  });

  it('has examples that parse', () => {
    for (const example of COMMANDS.flatMap((command) => command.examples.flatMap(commandsOf))) {
      const words = example.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
      assert.equal(words[0], 'v8host');
      assert.ok(parseArguments(words.slice(1), COMMANDS).command !== undefined);
    }
  });
});

/** Without what a line break may have changed. */
function joined(text: string): string {
  return text.replace(/\s+/g, '');
}

/** The commands of a line of the shell: of `source <(v8host …)`, `v8host … && v8host …`, `v8host … > file`. */
function commandsOf(line: string): string[] {
  return (/^source <\((.*)\)$/.exec(line)?.[1] ?? line).replace(/ > \S+$/, '').split(' && ');
}
