import { AppError } from '../../core/errors.ts';
import { type Command, type CommandCall, EXIT, type TestResult } from '../command.ts';
import { isTest, listScripts } from '../script-project.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLines, visibleText } from '../visible-text.ts';

/** `test`: runs the `*.test.js` of a project on an embedded host with an empty database. */
export const test: Command = {
  name: 'test',
  summary: {
    zh: '在内置主机和临时数据库中运行 *.test.js',
    en: 'run *.test.js on an embedded host with a database of its own',
  },
  args: ['[DIR]'],
  options: { json: { summary: { zh: '输出 DosResult', en: 'print a DosResult' } } },
  client: false,
  examples: ['v8host test', 'v8host test ./my-scripts --json'],
  exits: { 1: { zh: '有测试失败', en: 'a test failed' } },
  async run(call) {
    const directory = call.args[0] ?? '.';
    const files = listScripts(directory);
    const tests = files.filter(({ path }) => isTest(path));
    if (tests.length === 0) {
      throw new UsageError(`${directory} 里没有 *.test.js`, `${directory} holds no *.test.js`);
    }
    const { terminal, lang } = call;
    const results = await call.hostCommands.testScripts({
      ...terminal,
      lang,
      scripts: files.filter(({ path }) => !isTest(path)),
      tests,
      progress: (text) => terminal.progress?.(text),
    });
    const failed = results.filter(({ ok }) => !ok).length;
    if (call.options.json === true) terminal.out(JSON.stringify(asResult(results, failed)));
    else show(call, results, failed);
    return failed === 0 ? EXIT.ok : EXIT.failed;
  },
};

function asResult(results: readonly TestResult[], failed: number) {
  const { message } = new AppError('TESTS_FAILED', { failed, count: results.length });
  return failed === 0
    ? { Code: 1, Data: results, DataCount: results.length, Msg: null }
    : { Code: 0, Data: results, DataCount: results.length, Msg: message, ReasonCode: 'TESTS_FAILED' };
}

function show({ terminal, lang }: CommandCall, results: readonly TestResult[], failed: number): void {
  for (const { file, name, ok, ms, message } of results) {
    const title = visibleText(name === '' ? file : `${file} › ${name}`);
    terminal.out(ok ? `✔ ${title} (${ms} ms)` : `✖ ${title}`);
    if (message !== undefined) for (const line of visibleLines(message, '    ')) terminal.out(line);
  }
  const passed = results.length - failed;
  terminal.err(lang === 'zh' ? `${passed} 个通过，${failed} 个失败` : `${passed} passed, ${failed} failed`);
}
