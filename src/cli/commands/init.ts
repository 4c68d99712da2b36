import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, EXIT } from '../command.ts';
import { RUNTIME_TYPES, TYPES_FOLDER } from '../tenant-types.ts';
import { UsageError } from '../usage-error.ts';

const TEMPLATE = fileURLToPath(new URL('../../../templates/project/', import.meta.url));

/** Where a file of the template goes; those that are not named keep their name. */
const PLACES: Readonly<Record<string, string>> = {
  'types-test.d.ts': join(TYPES_FOLDER, 'test.d.ts'),
  'vscode-settings.json': join('.vscode', 'settings.json'),
};

/** `init`: a script project with an engine, a message handler, their tests, tables and types. */
export const init: Command = {
  name: 'init',
  summary: { zh: '建立一个脚本项目，含示例、测试和类型', en: 'make a script project with examples, tests and types' },
  args: ['[DIR]'],
  options: {},
  client: false,
  examples: ['v8host init my-scripts', 'v8host init my-scripts && v8host test my-scripts'],
  async run({ args, terminal, lang }) {
    const directory = args[0] ?? '.';
    const files = readdirSync(TEMPLATE).map((name) => [join(TEMPLATE, name), PLACES[name] ?? name] as const);
    const all = [...files, ...RUNTIME_TYPES];
    const taken = all.map(([, to]) => to).filter((to) => existsSync(join(directory, to)));
    if (taken.length > 0) {
      throw new UsageError(
        `${directory} 中已有 ${taken.join('、')}：换一个目录`,
        `${directory} has ${taken.join(', ')} already: choose another directory`,
      );
    }
    for (const [from, to] of all) {
      mkdirSync(dirname(join(directory, to)), { recursive: true });
      cpSync(from, join(directory, to));
    }
    for (const [, to] of all) terminal.out(join(directory, to));
    const place = directory === '.' ? '' : ` ${directory}`;
    terminal.err(
      lang === 'zh'
        ? `接下来：npx v8host test${place}，npx v8host push ${directory}，然后 npx v8host types${place}：编辑器据此检查表、字段、队列和引擎名`
        : `Next: npx v8host test${place}, npx v8host push ${directory}, then npx v8host types${place}: the editor checks names of tables, fields, queues and engines by it`,
    );
    return EXIT.ok;
  },
};
